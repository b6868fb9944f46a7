// Two wrote the same file: both texts side by side, and a choice.
import { h, button } from './dom.js';
import { ask, actions } from './dialogs.js';
import { problemBox } from './telling.js';
import { Editor } from './editor.js';

function pane(title, text) {
  const shown = new Editor({ label: title, readOnly: true });
  shown.load(text);
  return h('div', {}, h('h3', {}, title), shown.element);
}

/** A button that copies a text, and says so. */
export function copyButton(label, text) {
  const said = h('span', { class: 'ksk-note', role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Copied.';
    } catch {
      said.textContent = 'The browser does not allow it: select the text and copy that.';
    }
  };
  return [said, button(label, copy)];
}

/** `theirs` is a file as `fileOf` has it. Resolves to `mine`, `theirs`, or null where nothing is decided. */
export function compare({ name, path, mine, theirs }) {
  const isGone = theirs.content === null && !theirs.problem;
  const beside = isGone
    ? h('div', {}, h('h3', {}, 'Theirs'), h('p', {}, `${path} was deleted.`))
    : theirs.problem
      ? h('div', {}, h('h3', {}, 'Theirs'), problemBox(theirs.problem))
      : pane('Theirs', theirs.content);
  return ask('It was changed meanwhile', (done) => [
    h('p', {}, `${name} is no longer what you opened. Your text is kept here; look at theirs beside it.`),
    h('div', { class: 'ksk-columns ksk-panes' }, pane('Yours', mine), beside),
    actions(copyButton('Copy mine', mine), button('Keep writing', () => done(null)),
      button(isGone ? 'Let it be deleted' : 'Take theirs', () => done('theirs')),
      button(isGone ? 'Save mine all the same' : 'Save mine on top of theirs', () => done('mine'), 'primary')),
  ], { wide: true });
}

/** Shows a text that has no file any more, to copy it; resolves to true where it may be thrown away. */
export function lost({ name, path, text }) {
  return ask('Unsaved text', (done) => [
    h('p', {}, `${path} of ${name} is not there to be written any more. This is what you wrote in it.`),
    h('div', { class: 'ksk-panes' }, pane('Yours', text)),
    actions(copyButton('Copy it', text), button('Throw it away', () => done(true)), button('Keep it', () => done(null), 'primary')),
  ], { wide: true });
}
