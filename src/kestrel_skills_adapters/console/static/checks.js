// What is wrong with a skill, and advice: each finding leads to its line, and what adapting mends is one button.
import { skills, Problem } from './api.js';
import { h, button } from './dom.js';
import { attempt, findings } from './telling.js';

const known = new WeakMap();

/** The findings, asked for once for each look; of a folder that cannot be asked about, those that the catalog has. */
export function findingsOf(entry) {
  if (!known.has(entry)) {
    const asked = skills.checks(entry.address).then((answer) => answer.findings);
    asked.catch(() => known.delete(entry));
    known.set(entry, asked);
  }
  return entry.kind !== 'rejected' ? known.get(entry) : known.get(entry).catch((error) => {
    if (error instanceof Problem && error.status) return entry.record.faults;
    throw error;
  });
}

export function checksOf(entry, found, { changed, jump }) {
  const said = h('div', { 'aria-live': 'polite' });
  const adapt = () => attempt(said, async () => {
    const answer = await skills.adapt(entry.address, (await skills.tree(entry.address)).revision);
    await changed(`${entry.name} is adapted, and is a skill now. It is disabled until you enable it.`, answer.found);
  });
  const isRejected = entry.kind === 'rejected';
  const held = isRejected && entry.record.holds_back;
  return h('div', { class: 'ksk-prose' },
    isRejected && h('p', {}, 'This folder is no skill yet: the agent does not see it until what is wrong is mended.'),
    held && h('p', {}, `Until then it also holds back the ${held.source === 'host-shared' ? 'shared' : 'other'} skill of that name.`),
    isRejected && entry.record.adaptable && h('div', { class: 'ksk-callout' },
      h('p', {}, h('strong', {}, 'Adapt'), ' mends this: it brings the frontmatter into the form of name and description, and keeps what it lifts out on record. It can be undone.'),
      button('Adapt', adapt, 'primary')),
    said,
    found.length ? findings(found, jump) : h('p', {}, 'Nothing to find fault with.'));
}
