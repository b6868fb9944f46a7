// How it is said what went wrong, what was found, and what adapting changes.
import { Elsewhere, Problem } from './api.js';
import { h, fill, button } from './dom.js';

/** A problem where it happened: what, and what to do; `again` is a way to try once more, `jump` as in `findings`. */
export function problemBox(problem, again = null, jump = null) {
  return h('div', { class: 'ksk-problem', role: 'alert' },
    h('strong', {}, problem.message),
    problem.fix && h('p', {}, `What helps: ${problem.fix}.`),
    problem.faults?.length > 0 && findings(problem.faults, jump),
    problem.adaptation && adaptationList(problem.adaptation),
    again && button('Try again', again));
}

/** Runs work; `failed` is told what went wrong. What is of another agent by now is dropped in silence. */
export async function trying(work, failed) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Elsewhere) return undefined;
    if (!(error instanceof Problem)) throw error;
    return failed(error);
  }
}

/** Runs work, and says in a place what went wrong. */
export function attempt(place, work, again = null, jump = null) {
  fill(place);
  return trying(work, (problem) => {
    const mayHelp = problem.status !== 422; // what cannot be asked is no better asked twice
    fill(place, problemBox(problem, mayHelp ? again : null, jump));
  });
}

/** Findings, one a line; `jump` makes their places buttons. */
export function findings(found, jump = null) {
  return h('ul', { class: 'ksk-findings' }, found.map((each) => {
    const place = each.line ? `${each.file}, line ${each.line}` : each.file;
    const at = each.line && each.column ? `${place}, column ${each.column}` : place;
    return h('li', { data: { severity: each.severity } },
      h('div', { class: 'ksk-finding-head' },
        h('span', { class: 'ksk-code' }, each.code),
        h('span', { class: 'ksk-severity' }, each.severity),
        jump && each.file
          ? h('button', { type: 'button', class: 'ksk-link', on: { click: () => jump(each) } }, at)
          : h('span', { class: 'ksk-place' }, at)),
      h('div', {}, each.message),
      each.fix && h('div', { class: 'ksk-note' }, `Fix: ${each.fix}`));
  }));
}

export function adaptationList(adaptation) {
  return h('ul', { class: 'ksk-plain' },
    adaptation.changes.map((each) => h('li', {}, each.loses && h('strong', {}, 'No longer in force: '), each.text)),
    adaptation.omitted.map((each) => h('li', {}, h('strong', {}, `Left out ${each.path}: `), each.why)));
}
