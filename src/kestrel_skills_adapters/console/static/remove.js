// Deleting: what goes, what has the name afterwards, and the name typed in full.
import { skills, Elsewhere } from './api.js';
import { h, button, field, count } from './dom.js';
import { ask, actions } from './dialogs.js';
import { attempt } from './telling.js';
import { afterwards, PLACES } from './state.js';

/** Resolves to the answer of the server where it was deleted. */
export async function removeSkill(entry) {
  let files = [];
  try {
    files = (await skills.tree(entry.address)).files;
  } catch (error) {
    if (error instanceof Elsewhere) return null;
  }
  const seen = entry.record.delete_revision;
  const then = afterwards(entry);
  return ask(`Delete ${entry.name}`, (done) => {
    const typed = h('input', { type: 'text', autocomplete: 'off', spellcheck: false });
    const go = h('button', { class: 'btn btn-danger', disabled: true }, 'Delete');
    const said = h('div', { 'aria-live': 'polite' });
    typed.addEventListener('input', () => { go.disabled = typed.value !== entry.name; });
    const submit = async (event) => {
      event.preventDefault();
      if (go.disabled) return;
      go.disabled = true;
      const answer = await attempt(said, () => skills.remove(entry.address, seen));
      if (answer) done(answer);
    };
    return [h('form', { on: { submit } },
      files.length > 0 && [
        h('p', {}, 'These files go:'),
        h('ul', { class: 'ksk-plain ksk-file-list', tabIndex: 0, 'aria-label': 'Files that go' }, files.map((each) =>
          h('li', {}, h('code', {}, each.path), h('span', { class: 'ksk-number' }, count(each.bytes)))))],
      h('p', {}, then
        ? `Afterwards ${then.name} means another copy: ${PLACES[then.source] ?? then.source}.`
        : `Afterwards nothing is called ${entry.name}.`),
      field(`Type ${entry.name} to delete it`, typed).box,
      said,
      actions(button('Cancel', () => done(null)), go))];
  });
}
