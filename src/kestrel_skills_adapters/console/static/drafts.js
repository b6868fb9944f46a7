// What a person wrote and did not save: kept by agent, skill and file for as long as the browser's tab is there.

const KEY = 'kestrel-skills-draft:';
/** So many files at most; of more, the one that was written longest ago is let go. */
const MOST = 20;

const keyOf = ({ agent, address, path }) => KEY + JSON.stringify([agent, address, path]);

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null; // no draft of ours, or a browser that keeps nothing
  }
}

function all() {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(KEY)).map((key) => ({ key, ...read(key) }))
    .sort((one, other) => one.at - other.at);
}

/** Keeps a text, and the revision that it was written on. `place` is `{ agent, address, name, path }`. Whether it is kept. */
export function keep(place, text, revision) {
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify({ ...place, text, revision, at: Date.now() }));
  } catch {
    return false; // full
  }
  for (const { key } of all().slice(0, -MOST)) sessionStorage.removeItem(key);
  return true;
}

/** What is kept of a place; null where nothing is. */
export const find = (place) => read(keyOf(place));

export const drop = (place) => sessionStorage.removeItem(keyOf(place));

/** Everything that is kept of one agent, what was written first before what came later. */
export const ofAgent = (agent) => all().filter((each) => each.agent === agent);
