// What is asked of a person before something happens. The browser's own dialog keeps the focus, and gives it back.
import { h, button, freshId } from './dom.js';

/** Opens a dialog; `done` closes it with an answer. Resolves to null where it is dismissed. */
export function ask(title, build, { wide = false } = {}) {
  return new Promise((resolve) => {
    const heading = h('h2', { id: freshId() }, title);
    const back = document.activeElement;
    let answer = null;
    const dialog = h('dialog', {
      class: `ksk-dialog${wide ? ' ksk-wide' : ''}`, 'aria-labelledby': heading.id,
      on: {
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
