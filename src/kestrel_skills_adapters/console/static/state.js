// What the catalog means for a person: one entry for each thing to look at, its state in words, and what a search finds.
// Nothing here touches the page or the network.

export const FILTERS = [
  ['all', 'All'],
  ['enabled', 'Enabled'],
  ['disabled', 'Disabled'],
  ['omitted', 'Left out of the prompt'],
  ['shadowed', 'Shadowed'],
  ['held', 'Held back'],
  ['rejected', 'Rejected'],
  ['edited', 'Edited since install'],
];

export const SOURCES = { 'agent-local': 'local', 'host-shared': 'shared', git: 'git' };
export const PLACES = {
  'agent-local': 'the agent’s own folder',
  'host-shared': 'shared by the host, which only its operator changes',
  git: 'installed from git',
};

const GLYPHS = { prompt: '●', off: '○', omitted: '◌', rejected: '⚠', held: '◇', shadowed: '◐' };
const LABELS = {
  prompt: 'In the prompt',
  off: 'Disabled',
  omitted: 'Enabled, left out of the prompt',
  held: 'Held back',
  shadowed: 'Shadowed',
};
/** In the list, where there is little room; what is as it should be has none. */
const WORDS = { prompt: '', off: 'disabled', omitted: 'left out', rejected: 'rejected', held: 'held back', shadowed: 'shadowed' };

// With its source: what a path of the interface spells out, as /install, is no name there.
const addressOf = (each) => `${each.name}@${each.source}`;

function of(record, state, more = {}) {
  return {
    kind: 'skill',
    key: record.name,
    address: addressOf(record),
    name: record.name,
    source: record.source,
    text: record.description,
    state,
    glyph: GLYPHS[state],
    word: WORDS[state],
    label: LABELS[state],
    sought: `${record.name} ${record.description}`.toLowerCase(),
    record,
    ...more,
  };
}

function rejection(folder) {
  const [fault] = folder.faults;
  const where = fault ? [fault.code, fault.file, fault.line && `line ${fault.line}`].filter(Boolean).join(', ') : '';
  const why = fault ? `${where}: ${fault.message}` : 'It cannot be read.';
  return {
    kind: 'rejected',
    key: `!${folder.source}/${folder.name}`,
    address: addressOf(folder),
    name: folder.name,
    source: folder.source,
    text: why,
    state: 'rejected',
    glyph: GLYPHS.rejected,
    word: WORDS.rejected,
    label: 'Rejected',
    sought: `${folder.name} ${why}`.toLowerCase(),
    record: folder,
  };
}

function otherwise(record, state, text) {
  return of(record, state, { kind: 'copy', key: addressOf(record), text });
}

/** Every entry: what is broken first, then the skills in catalog order, each with the copies that it shadows. */
export function entries(catalog) {
  const found = [];
  for (const folder of catalog.rejected) {
    found.push(rejection(folder));
    const held = folder.holds_back;
    if (held) found.push(otherwise(held, 'held', `Held back by the broken ${folder.name}: repair or delete that.`));
  }
  for (const record of catalog.skills) {
    const state = record.context_included ? 'prompt' : record.enabled ? 'omitted' : 'off';
    found.push(of(record, state));
    for (const copy of record.shadowed) found.push(otherwise(copy, 'shadowed', copy.description));
  }
  return found;
}

const PASSES = {
  all: (entry) => entry.state !== 'shadowed',
  enabled: (entry) => entry.kind === 'skill' && entry.record.enabled,
  disabled: (entry) => entry.state === 'off',
  omitted: (entry) => entry.state === 'omitted',
  shadowed: (entry) => entry.state === 'shadowed',
  held: (entry) => entry.state === 'held',
  rejected: (entry) => entry.kind === 'rejected',
  edited: (entry) => entry.kind === 'skill' && entry.record.edited === true,
};

/** The entries that pass a filter and have every word that is sought. */
export function matching(all, filter, sought) {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = PASSES[filter] ?? PASSES.all;
  return all.filter((entry) => passes(entry) && words.every((word) => entry.sought.includes(word)));
}

/** How many entries pass each filter. */
export const counts = (all) => Object.fromEntries(FILTERS.map(([id]) => [id, all.filter(PASSES[id]).length]));

/** What has a name once its folder is gone. */
export function afterwards(entry) {
  const [next] = entry.kind === 'rejected' ? [entry.record.holds_back] : entry.record.shadowed;
  return next ?? null;
}

/** Whether a person may write in its folder. */
export const isEditable = (entry) =>
  entry.kind === 'rejected' ? entry.source !== 'host-shared' : entry.kind === 'skill' && entry.record.editable;

/** Why not. */
export const whyNot = (entry) =>
  entry.source === 'host-shared'
    ? 'This one is shared by the host: only its operator changes it. Make a skill of the same name to have your own.'
    : entry.kind === 'copy'
      ? 'This copy is not the one in force. It can be looked at.'
      : 'This one cannot be changed here.';
