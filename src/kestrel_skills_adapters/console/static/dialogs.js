// What is asked of a person before something happens. The browser's own dialog keeps the focus, and gives it back.
import { h, fill, button, freshId } from './dom.js';
import { trying, problemBox } from './telling.js';

/**
 * Opens a dialog, and resolves to its answer: null where it is dismissed, for which `mayLeave` is asked first. `build` is
 * given three things: `done` closes it with an answer; `submit` runs what has an answer, once at a time; the dialog.
 *
 * Dismissing undoes nothing that was submitted. What came of that then, or went wrong, is a sentence that `late` is told.
 */
export function ask(title, build, { wide = false, mayLeave = null, late = null } = {}) {
  return new Promise((resolve) => {
    const heading = h('h2', { id: freshId() }, title);
    const back = document.activeElement;
    let answer = null;
    let isRunning = false;
    const leave = async (event) => {
      const isMine = event.target.closest('dialog') === dialog && !event.isComposing;
      if (!mayLeave || !isMine || (event.type === 'keydown' && event.key !== 'Escape')) return;
      event.preventDefault();
      if (await mayLeave()) dialog.close();
    };
    const dialog = h('dialog', {
      class: `ksk-dialog${wide ? ' ksk-wide' : ''}`, 'aria-labelledby': heading.id,
      on: {
        cancel: leave,
        keydown: leave,
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
    const submit = async (go, said, work) => {
      if (isRunning) return;
      isRunning = go.disabled = true;
      fill(said);
      const came = await trying(work, (problem) => {
        if (dialog.open) fill(said, problemBox(problem));
        else late(`${title}: ${problem.message}`);
      });
      isRunning = go.disabled = false;
      if (!dialog.open) {
        if (came) late(came.said);
      } else if (came) done(came);
      else if (!dialog.contains(document.activeElement)) go.focus();
    };
    dialog.append(heading, ...build(done, submit, dialog));
    const within = document.querySelector('.ksk-dialog[open]') ?? document.querySelector('.ksk') ?? document.body;
    within.append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus], input, textarea, button')?.focus();
  });
}

/** Closes what is asked, unanswered: it was asked of another agent. */
export function dismiss() {
  for (const dialog of document.querySelectorAll('.ksk-dialog[open]')) dialog.close();
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
    const submit = (event) => {
      event.preventDefault();
      if (input.value.trim()) done(input.value.trim());
    };
    return [h('form', { on: { submit } },
      h('div', { class: 'ksk-field' }, h('label', { htmlFor: input.id }, label), input),
      actions(button('Cancel', () => done(null)), h('button', { class: 'btn btn-primary' }, yes)))];
  });
}
