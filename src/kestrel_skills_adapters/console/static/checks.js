// What is wrong with a skill, and advice: each finding leads to its line, and what adapting mends is one button.
import { skills, Problem } from './api.js';
import { h, button } from './dom.js';
import { attempt, findings } from './telling.js';

/** Asks of an entry once for each look, so that what is shown, counted and acted on is the same. */
function once(ask) {
  const known = new WeakMap();
  return (entry) => {
    if (!known.has(entry)) {
      const asked = ask(entry);
      asked.catch(() => known.delete(entry));
      known.set(entry, asked);
    }
    return known.get(entry);
  };
}

/** The revision that is looked at. */
export const revisionOf = once(async (entry) => entry.record.revision ?? (await skills.tree(entry.address)).revision);

/** The findings; of a folder that cannot be asked about, those that the catalog has. */
export const findingsOf = once(async (entry) => {
  const isRejected = entry.kind === 'rejected';
  try {
    if (isRejected && entry.record.adaptable) await revisionOf(entry); // first: what is found is of that, or later
    return (await skills.checks(entry.address)).findings;
  } catch (error) {
    if (isRejected && error instanceof Problem && error.status) return entry.record.faults;
    throw error;
  }
});

/** Does something to the revision that was looked at. Where it is another by now, that is shown, and nothing is done. */
export const act = (said, entry, changed, work) => attempt(said, async () => {
  try {
    await work(await revisionOf(entry));
  } catch (error) {
    if (!error.isStale) throw error;
    await changed(`${entry.name} was changed meanwhile. This is how it is now; nothing was done.`, null);
  }
});

export function checksOf(entry, found, { changed, jump }) {
  const said = h('div', { 'aria-live': 'polite' });
  const adapt = () => act(said, entry, changed, async (seen) => {
    const answer = await skills.adapt(entry.address, seen);
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
