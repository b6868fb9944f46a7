// The skills that are on, in their order: each is moved by its handle, with pointer, finger or key, or given a number.
import { h, fill, count } from './dom.js';
import { Dragging } from './dragging.js';
import { priorityField } from './priority.js';

/** So many of those that are left out are listed, beside those that are tried elsewhere. */
const SHOWN = 200;

export class Sequence {
  #order = [];
  #shown = [];
  #rows = new Map();

  /** `moved` is told a name and its new place, `typed` a name and its number, `told` what is wrong with it, `open` which skill to show. */
  constructor({ hint, moved, typed, told, open }) {
    Object.assign(this, { hint, moved, typed, told, open });
    this.list = h('ol', { class: 'ksk-plain', on: { keydown: (event) => this.#key(event) } });
    this.limit = h('li', { class: 'ksk-limit' });
    this.rest = h('p', { class: 'ksk-note' });
    this.element = h('div', { class: 'ksk-order' }, this.list, this.rest);
    this.dragging = new Dragging(this.element, {
      rows: () => [...this.list.querySelectorAll('li:not(.ksk-limit)')],
      moved: (from, to) => this.moved(this.#shown[from].name, this.#order.indexOf(this.#shown[to])),
    });
  }

  /** Shows skills `{ name, priority, cost, isTried }`, the first `included` of which are in the prompt. */
  show(order, included) {
    if (this.dragging.isActive) return;
    this.#order = order;
    const shown = order.filter((skill, at) => at < included + SHOWN || skill.isTried);
    this.#shown = shown;
    const rows = shown.map((skill, at) => this.#row(skill, at < included ? String(at + 1) : '–'));
    const out = order.length - included;
    if (out) rows.splice(included, 0, fill(this.limit, `Left out: ${count(out)}`));
    arrange(this.list, rows);
    const more = order.length - shown.length;
    this.rest.hidden = more <= 0;
    this.rest.textContent = `and ${count(more)} more, each of which has its priority where it is shown itself`;
    const there = new Set(order.map((skill) => skill.name));
    for (const name of this.#rows.keys()) if (!there.has(name)) this.#rows.delete(name);
  }

  bringIntoSight(name) {
    this.#rows.get(name)?.element.scrollIntoView({ block: 'nearest' });
  }

  #row({ name, priority, cost, isTried }, rank) {
    if (!this.#rows.has(name)) this.#rows.set(name, this.#newRow(name));
    const row = this.#rows.get(name);
    row.element.classList.toggle('ksk-moved', isTried);
    row.rank.textContent = rank;
    row.cost.textContent = `${count(cost)} tokens`;
    row.priority.show(priority, { isTyped: document.activeElement === row.priority.field });
    return row.element;
  }

  #newRow(name) {
    const rank = h('span', { class: 'ksk-number ksk-rank' });
    const cost = h('span', { class: 'ksk-number ksk-cost', title: 'About how much of the prompt it takes' });
    const typed = (number) => {
      priority.show(number, { isTyped: true }); // what is tried counts here
      this.typed(name, number);
    };
    const priority = priorityField({ 'aria-label': `Priority of ${name}` }, { typed, told: this.told });
    const grip = h('button', {
      type: 'button', class: 'ksk-grip', 'aria-label': `Move ${name}`, 'aria-describedby': this.hint.id, data: { name },
    });
    const link = h('button', { type: 'button', class: 'ksk-link', on: { click: () => this.open(name) } }, name);
    return { rank, cost, priority, element: h('li', {}, grip, rank, link, cost, priority.field) };
  }

  #key(event) {
    const { name } = event.target.dataset;
    if (!name || this.dragging.isActive) return;
    const last = this.#order.length - 1;
    const at = this.#order.findIndex((skill) => skill.name === name);
    const to = { ArrowUp: Math.max(0, at - 1), ArrowDown: Math.min(last, at + 1), Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.moved(name, to);
  }
}

/** Has a list hold these in this order, and does not touch the one in which a person is, so that it keeps the focus. */
function arrange(list, wanted) {
  const at = wanted.findIndex((each) => each.contains(document.activeElement));
  const stays = at >= 0 && wanted[at].parentElement === list ? wanted[at] : null;
  for (const each of [...list.children]) if (!wanted.includes(each)) each.remove();
  wanted.forEach((each, place) => {
    if (each === stays) return;
    if (stays && place < at) list.insertBefore(each, stays);
    else list.append(each);
  });
}
