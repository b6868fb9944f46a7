// Rows that a pointer or a finger moves to another place in their list. Where they go is shown, and told when they are let go.

const EDGE = 28;
const SPEED = 8;

/** `list` scrolls, and its rows have a `.ksk-grip` to hold them by. `moved` is told the row, and at which it was let go. */
export class Dragging {
  #held = null;
  #frame = 0;

  constructor(list, { rows, moved }) {
    Object.assign(this, { list, rows, moved });
    list.addEventListener('pointerdown', (event) => this.#hold(event));
    list.addEventListener('pointermove', (event) => this.#move(event));
    list.addEventListener('pointerup', () => this.#end(true));
    list.addEventListener('lostpointercapture', () => this.#end(false));
    list.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.isActive) return;
      event.stopPropagation();
      this.#end(false);
    });
  }

  get isActive() { return this.#held !== null; }

  #hold(event) {
    const grip = event.target.closest('.ksk-grip');
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    const row = grip.closest('li');
    const rows = this.rows();
    this.#held = { row, from: rows.indexOf(row), to: rows.indexOf(row), y: event.clientY };
    row.classList.add('ksk-held');
    this.#scroll();
  }

  #move(event) {
    if (!this.isActive) return;
    this.#held.y = event.clientY;
    this.#mark();
  }

  /** Where it would stand among the others: after each whose middle is above the pointer. */
  #mark() {
    const held = this.#held;
    const others = this.rows().filter((row) => row !== held.row);
    held.to = others.filter((row) => {
      const { top, height } = row.getBoundingClientRect();
      return top + height / 2 < held.y;
    }).length;
    this.#unmark();
    if (held.to === held.from) return;
    if (others[held.to]) others[held.to].dataset.drop = 'before';
    else others.at(-1).dataset.drop = 'after';
  }

  #unmark() {
    for (const row of this.rows()) delete row.dataset.drop;
  }

  #scroll() {
    if (!this.isActive) return;
    const { top, bottom } = this.list.getBoundingClientRect();
    const { y } = this.#held;
    const step = y < top + EDGE ? -SPEED : y > bottom - EDGE ? SPEED : 0;
    if (step) {
      this.list.scrollTop += step;
      this.#mark();
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #end(isMeant) {
    if (!this.isActive) return;
    const { row, from, to } = this.#held;
    this.#held = null;
    cancelAnimationFrame(this.#frame);
    row.classList.remove('ksk-held');
    this.#unmark();
    this.moved(from, isMeant ? to : from);
  }
}
