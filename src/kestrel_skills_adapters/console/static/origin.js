// Where a skill came from, whether it is still that, and what was changed to make it one.
import { skills } from './api.js';
import { h, button } from './dom.js';
import { act, revisionOf } from './checks.js';
import { findings } from './telling.js';
import { isEditable, PLACES } from './state.js';

const VERDICTS = {
  'as installed': 'Every file is as it was installed.',
  'edited here': 'Edited since it was installed.',
  'not recorded': 'It was made here; nothing is on record about where it came from.',
  'record unreadable': 'The record of where it came from cannot be read.',
};
/** Of what was made here and adapted here, which nobody installed. */
const ADAPTED = {
  'as installed': 'Every file is as it was when this was adapted here.',
  'edited here': 'Edited since it was adapted here.',
};
const WHAT = { added: 'added', changed: 'changed', removed: 'removed', mode: 'made executable, or no longer' };

export async function originOf(entry, { changed, open }) {
  const seen = isEditable(entry) && (await revisionOf(entry).catch(() => null)); // first: what is verified is that, or later
  const verified = await skills.verify(entry.address);
  const copies = entry.kind === 'rejected' ? [] : (entry.record.shadowed ?? []);
  const from = verified.provenance;
  const said = h('div', { 'aria-live': 'polite' });
  const isAdapted = from?.kind === 'adapted';
  const undo = () => act(said, entry, changed, async (revision) => {
    const answer = await skills.unadapt(entry.address, revision);
    await changed('It is as it was before it was adapted.', answer.found);
  });
  const row = (name, value) => value && [h('dt', {}, name), h('dd', {}, value)];
  return h('div', { class: 'ksk-prose' },
    h('p', { class: 'ksk-verdict', data: { verdict: verified.verdict } }, (isAdapted && ADAPTED[verified.verdict]) || (VERDICTS[verified.verdict] ?? verified.verdict)),
    h('dl', { class: 'ksk-facts' },
      row('Place', PLACES[entry.source] ?? entry.source),
      row('Revision', entry.record.revision),
      from && [!isAdapted && row('From', from.url ?? from.kind), row('Commit', from.commit), row('Asked for', from.ref)]),
    verified.unread && findings([verified.unread]),
    verified.differences?.length > 0 && [
      h('h3', {}, 'Changed since'),
      h('ul', { class: 'ksk-plain ksk-differences' }, verified.differences.map((each) =>
        h('li', {}, h('span', { class: 'ksk-what' }, WHAT[each.what] ?? each.what), ' ', h('code', {}, each.path)))),
    ],
    verified.adapted && [
      h('h3', {}, 'Adapted'),
      h('ul', { class: 'ksk-list-text' },
        verified.adapted.changes.map((each) => h('li', {}, each)),
        verified.adapted.omitted.map((each) => h('li', {}, `left out ${each}`))),
      verified.adapted.frontmatter && [
        h('h3', {}, 'The original frontmatter'),
        h('pre', { class: 'ksk-clause', tabIndex: 0, 'aria-label': 'The original frontmatter' }, verified.adapted.frontmatter)],
      seen && verified.adapted.state === 'made' && button('Undo the adaptation', undo),
    ],
    copies.length > 0 && [
      h('h3', {}, 'Shadowed copies'),
      h('ul', { class: 'ksk-plain' }, copies.map((copy) => h('li', {},
        h('button', { type: 'button', class: 'ksk-link', on: { click: () => open(`${copy.name}@${copy.source}`) } },
          `${copy.name}, ${PLACES[copy.source] ?? copy.source}`)))),
    ],
    said);
}
