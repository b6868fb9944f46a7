// The order of the prompt, and the least that has to change for one skill to stand elsewhere in it.
// Nothing here touches the page or the network.

/** What a priority may be; lower comes first, and of two that are equal the earlier name. */
export const PRIORITIES = { min: -100000, max: 100000, step: 1 };

/** How far from its one neighbour what is moved to an end is put, so that there is room between them. */
const APART = 10;

const isBefore = (one, other) => one.priority < other.priority || (one.priority === other.priority && one.name < other.name);

/** Skills, each `{ name, priority }`, in the order of the prompt. */
export const ordered = (skills) => [...skills].sort((one, other) => (isBefore(one, other) ? -1 : 1));

/** The lowest priority with which a name comes after another skill, and the highest with which it comes before. */
const lowest = (name, before) => (before ? before.priority + (before.name < name ? 0 : 1) : PRIORITIES.min);
const highest = (name, after) => (after ? after.priority - (name < after.name ? 0 : 1) : PRIORITIES.max);

/** A priority between two neighbours, as far from both as can be; nothing where there is no room. */
function between({ name, priority }, before, after) {
  const low = lowest(name, before);
  const high = highest(name, after);
  if (low > high) return null;
  if (low <= priority && priority <= high) return priority;
  const wanted = before && after ? Math.floor((before.priority + after.priority) / 2)
    : before ? before.priority + APART : after.priority - APART;
  return Math.min(high, Math.max(low, wanted));
}

/** What changes where all that follows a place (or comes before it, with a step of -1) gives way by as little as will do. */
function pushed(wanted, at, step) {
  const changed = new Map();
  const edge = step > 0 ? lowest : highest;
  for (let place = at, last = wanted[at - step]; wanted[place]; place += step) {
    const { name, priority } = wanted[place];
    const least = edge(name, last);
    const isFine = place !== at && (step > 0 ? priority >= least : priority <= least);
    if (isFine) break;
    if (least < PRIORITIES.min || least > PRIORITIES.max) return null;
    if (least !== priority) changed.set(name, least);
    last = { name, priority: least };
  }
  return changed;
}

/**
 * The priorities to set, by name, for the skill at one place of an order to stand at another: its own alone where there
 * is room between its neighbours there, else with it those of the side on which fewer have to give way.
 */
export function moved(order, from, to) {
  const skill = order[from];
  const wanted = order.filter((each) => each !== skill);
  wanted.splice(to, 0, skill);
  const own = between(skill, wanted[to - 1], wanted[to + 1]);
  if (own !== null) return new Map(own === skill.priority ? [] : [[skill.name, own]]);
  const ways = [pushed(wanted, to, 1), pushed(wanted, to, -1)].filter(Boolean);
  return ways.sort((one, other) => one.size - other.size)[0];
}
