// What is asked of a person before something happens. The browser's own dialog keeps the focus, and gives it back.
import { h, button, freshId } from './dom.js';

/** Opens a dialog; `done` closes it with an answer. Resolves to null where it is dismissed. */
export function ask(title, build, { wide = false, mayClose = () => true } = {}) {
  return new Promise((resolve) => {
    const heading = h('h2', { id: freshId() }, title);
    const back = document.activeElement;
    let answer = null;
    const dialog = h('dialog', {
      class: `ksk-dialog${wide ? ' ksk-wide' : ''}`, 'aria-labelledby': heading.id,
      on: {
        cancel: (event) => {
          if (!mayClose()) event.preventDefault();
        },
        close: () => {
          dialog.remove();
          if (back?.isConnected) back.focus();
          resolve(answer);
        },
      },
    });
    const done = (given) => {
      answer = given;
      dialog.close();
    };
    dialog.append(heading, ...build(done, dialog));
    (document.querySelector('.ksk') ?? document.body).append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus], input, textarea, button')?.focus();
  });
}

export const actions = (...buttons) => h('div', { class: 'ksk-actions' }, ...buttons);

/** A question with two answers. */
export function confirm(title, text, yes, { kind = 'primary', no = 'Cancel' } = {}) {
  return ask(title, (done) => [
    h('p', {}, text),
    actions(button(no, () => done(null)), button(yes, () => done(true), kind)),
  ]);
}

/** One line of text. */
export function askText(title, label, yes) {
  return ask(title, (done) => {
    const input = h('input', { type: 'text', id: freshId(), autocomplete: 'off', spellcheck: false });
    const form = h(
      'form',
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            if (input.value.trim()) done(input.value.trim());
          },
        },
      },
      h('div', { class: 'ksk-field' }, h('label', { htmlFor: input.id }, label), input),
      actions(button('Cancel', () => done(null)), h('button', { class: 'btn btn-primary' }, yes)),
    );
    return [form];
  });
}

/** A problem where it happened: what, and what to do. */
export function problemBox(problem) {
  return h(
    'div',
    { class: 'ksk-problem', role: 'alert' },
    h('strong', {}, problem.message),
    problem.fix && h('p', {}, `What helps: ${problem.fix}.`),
    problem.faults?.length > 0 && findings(problem.faults),
  );
}

/** Findings, one a line; `jump` makes their places buttons. */
export function findings(found, jump = null) {
  return h(
    'ul',
    { class: 'ksk-findings' },
    found.map((each) => {
      const place = each.line ? `${each.file}, line ${each.line}` : each.file;
      const at = each.line && each.column ? `${place}, column ${each.column}` : place;
      return h(
        'li',
        { data: { severity: each.severity } },
        h(
          'div',
          { class: 'ksk-finding-head' },
          h('span', { class: 'ksk-code' }, each.code),
          h('span', { class: 'ksk-severity' }, each.severity),
          jump && each.file
            ? h('button', { type: 'button', class: 'ksk-link', on: { click: () => jump(each) } }, at)
            : h('span', { class: 'ksk-place' }, at),
        ),
        h('div', {}, each.message),
        each.fix && h('div', { class: 'ksk-note' }, `Fix: ${each.fix}`),
      );
    }),
  );
}

export function adaptationList(adaptation) {
  return h(
    'ul',
    { class: 'ksk-plain' },
    adaptation.changes.map((each) =>
      h('li', {}, each.loses && h('strong', {}, 'No longer in force: '), each.text)),
    adaptation.omitted.map((each) => h('li', {}, h('strong', {}, `Left out ${each.path}: `), each.why)),
  );
}
