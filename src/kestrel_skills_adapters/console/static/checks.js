// What is wrong with a skill, and advice: each finding leads to its line, and what adapting repairs is one button.
import { skills, Elsewhere, Problem } from './api.js';
import { h, fill, button } from './dom.js';
import { findings, problemBox, adaptationList } from './dialogs.js';
import { isEditable } from './state.js';

/** The findings; of a rejected folder that cannot be asked about, those that the catalog has. */
export async function findingsOf(entry) {
  if (entry.kind !== 'rejected') return (await skills.checks(entry.address)).findings;
  try {
    return (await skills.checks(entry.address)).findings;
  } catch (error) {
    if (error instanceof Problem) return entry.record.faults;
    throw error;
  }
}

export function checksOf(entry, found, { changed, jump }) {
  const said = h('div', { 'aria-live': 'polite' });
  const adapt = async () => {
    try {
      const answer = await skills.adapt(entry.address, (await skills.tree(entry.address)).revision);
      await changed(`${entry.name} is adapted, and is a skill now. It is disabled until you enable it.`, answer.found);
    } catch (error) {
      if (error instanceof Elsewhere) return;
      fill(said, problemBox(error), ...(error.adaptation ? [adaptationList(error.adaptation)] : []));
    }
  };
  const mayAdapt = entry.kind === 'rejected' && isEditable(entry) && found.some((each) => each.code.startsWith('KS1'));
  const held = entry.kind === 'rejected' && entry.record.holds_back;
  return h('div', { class: 'ksk-prose' },
    entry.kind === 'rejected' && h('p', {}, 'This folder is no skill yet: the agent does not see it until what is wrong is mended.'),
    held && h('p', {}, `Until then it also holds back the ${held.source === 'host-shared' ? 'shared' : 'other'} skill of that name.`),
    mayAdapt && h('div', { class: 'ksk-callout' },
      h('p', {}, h('strong', {}, 'Adapt'), ' brings the frontmatter into the form of name and description, and keeps what it lifts out on record. It can be undone.'),
      button('Adapt', adapt, 'primary')),
    said,
    found.length ? findings(found, jump) : h('p', {}, 'Nothing to find fault with.'));
}
