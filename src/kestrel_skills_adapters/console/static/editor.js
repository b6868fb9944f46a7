// Text with line numbers, to look at or to write in. It is an ordinary text area: what a browser offers for writing stays.
import { h, count, freshId } from './dom.js';

const MOST = 256 * 1024;
const bytes = new TextEncoder();

export class Editor {
  #saved = '';
  #lineEnd = '\n';
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

  /** The text with the line ends that the file has: a text area knows only one kind. */
  get text() { return this.#lineEnd === '\n' ? this.area.value : this.area.value.replaceAll('\n', this.#lineEnd); }
  get isDirty() { return this.area.value !== this.#saved; }
  get isTooLarge() { return this.#size > MOST; }

  /** Shows a text that is as it is kept; `text` is what a person made of it meanwhile. */
  load(saved, text = saved) {
    this.#lineEnd = saved.includes('\r\n') ? '\r\n' : '\n';
    this.area.value = saved;
    this.#saved = this.area.value;
    if (text !== saved) this.area.value = text;
    this.#changed();
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
  }

  /** Takes a text for what is kept now; what is shown stays, with the place where a person writes. */
  settle(saved) {
    this.#saved = saved.replaceAll('\r\n', '\n');
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
    const lines = this.area.value.split('\n').length;
    if (lines !== this.#numbered) {
      this.gutter.textContent = Array.from({ length: lines }, (_, at) => at + 1).join('\n');
      this.#numbered = lines;
    }
    this.#size = bytes.encode(this.text).length;
    this.size.textContent = `${count(this.#size)} of at most ${count(MOST)} bytes`;
    this.size.classList.toggle('ksk-bad', this.isTooLarge);
    this.onChange?.();
  }
}
