// Deleting: what goes, what has the name afterwards, and the name typed in full.
import { skills } from './api.js';
import { h, fill, button, field, count } from './dom.js';
import { ask, actions } from './dialogs.js';
import { attempt } from './telling.js';
import { afterwards, entries, PLACES } from './state.js';

const listed = (files) => [
  h('p', {}, 'These files go:'),
  h('ul', { class: 'ksk-plain ksk-file-list', tabIndex: 0, 'aria-label': 'Files that go' }, files.map((each) =>
    h('li', {}, h('code', {}, each.path), h('span', { class: 'ksk-number' }, count(each.bytes)))))];

/** Resolves to what is to be said, and what has the name then, where it was deleted. For `late` see `ask`. */
export function removeSkill({ name, address }, late) {
  return ask(`Delete ${name}`, (done, submit) => {
    const typed = h('input', { type: 'text', autocomplete: 'off', spellcheck: false });
    const go = h('button', { class: 'btn btn-danger' }, 'Delete');
    const said = h('div', { 'aria-live': 'polite' });
    const place = h('div', {});
    let seen = null;
    const judge = () => { go.disabled = !seen || typed.value !== name; };

    // The catalog first: whatever is changed after it, and be it listed here already, is not deleted.
    const look = () => attempt(place, async () => {
      seen = null;
      judge();
      const now = entries(await skills.catalog()).find((each) => each.address === address && each.record.delete_revision);
      if (!now) {
        fill(place, h('p', {}, 'It is not there any more.'));
        return;
      }
      const files = h('div', {});
      await attempt(files, async () => fill(files, listed((await skills.tree(address)).files)), look);
      const then = afterwards(now);
      fill(place, files, h('p', {}, then
        ? `Afterwards ${then.name} means another copy: ${PLACES[then.source] ?? then.source}.`
        : `Afterwards nothing is called ${name}.`));
      seen = now.record.delete_revision;
      judge();
    }, look);

    const remove = async () => {
      try {
        const { found } = await skills.remove(address, seen);
        return { said: `${name} is deleted.`, found, isGone: true };
      } catch (error) {
        if (error.isStale) await look();
        throw error;
      }
    };
    const send = (event) => {
      event.preventDefault();
      if (!go.disabled && seen) submit(go, said, remove);
    };
    typed.addEventListener('input', judge);
    look();
    return [h('form', { on: { submit: send } },
      place, field(`Type ${name} to delete it`, typed).box, said, actions(button('Cancel', () => done(null)), go))];
  }, { late });
}
