// The list: one row of fixed height for each entry, of which only those in sight exist.
import { h, freshId } from './dom.js';
import { SOURCES } from './state.js';

const ROW = 56;
const BESIDE = 6;

export class List {
  #rows = [];
  #active = null;
  #frame = 0;
  #id = freshId();

  constructor({ onPick, onEnter }) {
    this.onPick = onPick;
    this.space = h('div', { class: 'ksk-space', role: 'presentation' });
    this.none = h('p', { class: 'ksk-none', hidden: true });
    this.element = h(
      'div',
      {
        class: 'ksk-list', role: 'listbox', tabIndex: 0, 'aria-label': 'Skills',
        on: {
          scroll: () => this.#later(),
          keydown: (event) => this.#key(event, onEnter),
          click: (event) => this.#click(event, onEnter),
        },
      },
      this.space,
    );
    new ResizeObserver(() => this.#later()).observe(this.element);
  }

  show(rows, active, nothing) {
    const isThere = active === this.#active && this.index >= 0;
    this.#rows = rows;
    this.#active = active;
    this.none.textContent = nothing;
    this.none.hidden = rows.length > 0;
    this.element.hidden = rows.length === 0;
    this.space.style.height = `${rows.length * ROW}px`;
    if (!isThere) this.#bringIntoSight(); // but where a person scrolled away from it, it is left there
    this.#paint();
  }

  focus() {
    this.element.focus({ preventScroll: true });
  }

  get index() {
    return this.#rows.findIndex((row) => row.key === this.#active);
  }

  choose(key) {
    this.#active = key;
    this.#bringIntoSight();
    this.#paint();
  }

  #later() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #bringIntoSight() {
    const top = this.index * ROW;
    const { scrollTop, clientHeight } = this.element;
    if (top < 0) return;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.element.scrollTop = top + ROW - clientHeight;
  }

  #paint() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - BESIDE);
    const last = Math.min(this.#rows.length, first + Math.ceil(this.element.clientHeight / ROW) + 2 * BESIDE);
    const active = this.index;
    // A row that is as it was stays: a press that began on it would otherwise end on another element, and be none.
    const there = [...this.space.children];
    const kept = new Map(there.map((element) => [element.dataset.is, element]));
    const rows = this.#rows.slice(first, last).map((row, at) => this.#row(row, first + at, active, kept));
    for (const element of there) if (!rows.includes(element)) element.remove();
    rows.forEach((element, at) => {
      if (this.space.children[at] !== element) this.space.insertBefore(element, this.space.children[at] ?? null);
    });
    const shown = active >= first && active < last;
    if (shown) this.element.setAttribute('aria-activedescendant', `${this.#id}-${active}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  #row(row, at, active, kept) {
    const { record } = row;
    const rank = row.kind === 'skill' && record.enabled ? String(record.priority) : '';
    const tags = [
      row.word,
      SOURCES[row.source] ?? row.source,
      record.edited ? 'edited' : '',
      record.pin ? 'pinned' : '',
      row.kind === 'skill' && record.shadowed.length ? 'shadows' : '',
    ].filter(Boolean);
    const is = JSON.stringify([row.key, row.label, row.text, rank, tags, at, at === active, this.#rows.length]);
    if (kept.has(is)) return kept.get(is);
    const element = h(
      'div',
      {
        class: 'ksk-row', role: 'option', id: `${this.#id}-${at}`, data: { state: row.state, at, is },
        'aria-selected': String(at === active), 'aria-posinset': at + 1, 'aria-setsize': this.#rows.length,
      },
      h('span', { class: 'ksk-glyph', 'aria-hidden': 'true', title: row.label }, row.glyph),
      h('span', { class: 'ksk-row-text' },
        h('span', { class: 'ksk-line' },
          h('span', { class: 'ksk-name' }, row.name),
          h('span', { class: 'ksk-said' }, row.word ? ', ' : `, ${row.label}, `),
          h('span', { class: 'ksk-tags' }, tags.join(' · '))),
        h('span', { class: 'ksk-line' },
          h('span', { class: 'ksk-about' }, row.text),
          rank && h('span', { class: 'ksk-number', title: 'Priority' }, h('span', { class: 'ksk-said' }, ', priority '), rank))),
    );
    element.style.transform = `translateY(${at * ROW}px)`;
    return element;
  }

  #click(event, onEnter) {
    const row = event.target.closest('.ksk-row');
    if (row) this.#go(Number(row.dataset.at), onEnter);
  }

  async #go(at, then) {
    const row = this.#rows[Math.max(0, Math.min(this.#rows.length - 1, at))];
    if (row && (await this.onPick(row.key))) then?.(row.key);
  }

  #key(event, onEnter) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const at = this.index;
    const to = {
      ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: this.#rows.length - 1,
      PageDown: at + page, PageUp: Math.max(0, at - page),
    }[event.key];
    if (to !== undefined) this.#go(to);
    else if (event.key === 'Enter') this.#go(Math.max(0, at), onEnter);
    else return;
    event.preventDefault();
  }
}
