// Text with line numbers, to look at or to write in. It is an ordinary text area: what a browser offers for writing stays.
import { h, count, freshId } from './dom.js';

const MOST = 256 * 1024;
/** Of a text with more lines none is numbered: a browser takes longer to lay the numbers out than a person to type. */
const NUMBERED = 2000;
const END = /\r\n|\r|\n/g;
const bytes = new TextEncoder();

/** What stands between the lines of a text; null where that is a newline everywhere. */
const endsOf = (text) => (text.includes('\r') ? text.match(END) : null);

/**
 * A text that was written in a text area, which knows only one line end, with those that it had: what stands before and
 * after all that was changed keeps its own; between, a line has that of the line in its place, or else of the one before.
 */
function withEnds(written, kept) {
  const ends = endsOf(kept);
  if (!ends) return written;
  const before = kept.split(END);
  const lines = written.split('\n');
  const most = Math.min(before.length, lines.length);
  let head = 0;
  while (head < most && lines[head] === before[head]) head += 1;
  let tail = 0;
  while (tail < most - head && lines.at(-1 - tail) === before.at(-1 - tail)) tail += 1;
  const shift = lines.length - before.length;
  const endOf = (at) => ends[at >= lines.length - tail ? at - shift : Math.max(0, Math.min(at, before.length - tail - 1, ends.length - 1))];
  return lines.map((line, at) => (at < lines.length - 1 ? line + endOf(at) : line)).join('');
}

export class Editor {
  #kept = '';
  #saved = '';
  #size = 0;
  #numbered = 0;

  constructor({ label, readOnly, onChange, onSave }) {
    this.onChange = onChange;
    this.size = h('div', { class: 'ksk-note ksk-number', id: freshId() });
    this.gutter = h('pre', { class: 'ksk-gutter', 'aria-hidden': 'true' });
    this.area = h('textarea', {
      class: 'ksk-text', wrap: 'off', spellcheck: false, readOnly, 'aria-label': label, 'aria-describedby': this.size.id,
      on: {
        input: () => this.#changed(),
        scroll: () => { this.gutter.scrollTop = this.area.scrollTop; },
        keydown: (event) => {
          if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 's') {
            event.preventDefault();
            onSave?.();
          }
        },
      },
    });
    this.element = h('div', { class: 'ksk-editor' }, this.gutter, this.area);
  }

  /** The text as it shall be kept. */
  get text() { return withEnds(this.area.value, this.#kept); }
  /** The text as it is kept. */
  get saved() { return this.#kept; }
  get isDirty() { return this.area.value !== this.#saved; }
  get isTooLarge() { return this.#size > MOST; }

  /** Shows a text that is as it is kept; `text` is what a person made of it meanwhile. */
  load(saved, text = saved) {
    this.area.value = text;
    this.settle(saved);
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
  }

  /** Takes a text for what is kept now; what is shown stays, with the place where a person writes. */
  settle(saved) {
    this.#kept = saved;
    this.#saved = saved.replaceAll(END, '\n');
    this.#changed();
  }

  /** Shows what is kept again. */
  revert() {
    this.area.value = this.#saved;
    this.#changed();
  }

  /** Moves to a line and marks it. */
  jump(line) {
    const lines = this.area.value.split('\n');
    const at = Math.max(0, Math.min(lines.length, line) - 1);
    const start = lines.slice(0, at).join('\n').length + (at ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + lines[at].length);
    const height = this.area.scrollHeight / Math.max(1, lines.length);
    this.area.scrollTop = Math.max(0, at * height - this.area.clientHeight / 3);
  }

  #changed() {
    const { text } = this;
    const lines = (this.area.value.match(/\n/g)?.length ?? 0) + 1;
    if (lines !== this.#numbered) {
      const isNumbered = lines <= NUMBERED;
      this.gutter.textContent = isNumbered ? Array.from({ length: lines }, (_, at) => at + 1).join('\n') : '';
      this.gutter.hidden = !isNumbered;
      this.#numbered = lines;
    }
    this.#size = bytes.encode(text).length;
    this.size.textContent = `${count(this.#size)} of at most ${count(MOST)} bytes`
      + (this.gutter.hidden ? `; no numbers beyond ${count(NUMBERED)} lines` : '');
    this.size.classList.toggle('ksk-bad', this.isTooLarge);
    this.onChange?.();
  }
}
