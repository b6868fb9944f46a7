// The files of a skill: which there are, which is open, and new ones.
import { skills, agentNow } from './api.js';
import { h, fill, button, count } from './dom.js';
import { askText } from './dialogs.js';
import { attempt } from './telling.js';
import { Sheet } from './sheet.js';
import { isEditable } from './state.js';
import * as drafts from './drafts.js';

export class Files {
  #entry = null;
  #tree = null;
  #sheet = null;
  #asked = 0;

  /** `changed` is told of each change: what to say, and what came of it; `opened`, that another file is open. */
  constructor({ changed, opened }) {
    Object.assign(this, { changed, opened });
    this.nav = h('nav', { class: 'ksk-tree', 'aria-label': 'Files of the skill' });
    this.main = h('div', { class: 'ksk-open' });
    this.element = h('div', { class: 'ksk-files' }, this.nav, this.main);
  }

  get isDirty() { return Boolean(this.#sheet?.isDirty); }

  /** Where what is unsaved belongs; null where nothing is. */
  get unsaved() { return this.isDirty ? this.#sheet.place : null; }

  async mayLeave() { return this.#sheet === null || this.#sheet.mayClose(); }

  keep() { this.#sheet?.keep(); }

  /** Closes what is open; what is unsaved is kept for when a person comes back. */
  close() {
    this.#asked += 1;
    this.keep();
    this.#sheet = null;
    fill(this.nav);
    fill(this.main);
  }

  /** Shows a file of an entry: without a path, of the one that is shown the same as now. */
  async show(entry, path = entry.key === this.#entry?.key && this.#sheet ? this.#sheet.path : 'SKILL.md', line = 0) {
    const asked = (this.#asked += 1);
    if (entry.key !== this.#entry?.key) fill(this.nav);
    this.#entry = entry;
    this.#sheet = null;
    await attempt(this.main, async () => {
      const tree = await skills.tree(entry.address);
      if (asked !== this.#asked) return;
      this.#tree = tree;
      const paths = tree.files.map((each) => each.path);
      const isMeant = paths.includes(path) || drafts.find({ agent: agentNow(), address: entry.address, path });
      await this.#open(isMeant ? path : paths[0], line, asked, paths);
    }, () => this.show(entry, path, line));
  }

  async #open(path, line, asked, paths) {
    this.#list(path);
    if (!path) {
      fill(this.main, h('p', {}, 'There is no file.'));
      return;
    }
    const entry = this.#entry;
    const file = paths.includes(path)
      ? await skills.file(entry.address, path)
      : { content: '', revision: this.#tree.revision }; // it was deleted meanwhile, and what was written in it is kept
    if (asked !== this.#asked) return;
    this.#sheet = new Sheet({
      entry, path, file: { ...file, revision: file.revision ?? this.#tree.revision },
      saved: (said, found) => this.#saved(entry, said, found),
      removed: async (said, found) => {
        await this.changed(said, found, entry);
        if (entry === this.#entry) await this.show(entry, 'SKILL.md');
      },
    });
    fill(this.main, this.#sheet.element);
    this.opened();
    if (line) this.#sheet.editor.jump(line);
  }

  async #saved(entry, said, found) {
    await this.changed(said, found, entry);
    const asked = this.#asked;
    const tree = await skills.tree(entry.address);
    if (asked !== this.#asked) return;
    this.#tree = tree;
    this.#list(this.#sheet.path);
  }

  #list(open) {
    fill(this.nav,
      h('ul', { class: 'ksk-plain' }, this.#tree.files.map((each) =>
        h('li', {}, h('button', {
          type: 'button', class: 'ksk-path', 'aria-current': each.path === open ? 'true' : null,
          on: { click: () => this.#switch(each.path) },
        }, h('span', {}, each.path), h('span', { class: 'ksk-number' }, count(each.bytes)))))),
      isEditable(this.#entry) && button('New file', () => this.#make(), 'secondary', { class: 'ksk-small' }));
  }

  async #switch(path) {
    if (path !== this.#sheet?.path && (await this.mayLeave())) await this.show(this.#entry, path);
  }

  async #make() {
    if (!(await this.mayLeave())) return;
    const path = await askText('New file', 'Path, such as references/notes.md', 'Make it');
    if (!path) return;
    const entry = this.#entry;
    await attempt(this.#sheet?.said ?? this.main, async () => {
      const answer = await skills.write(entry.address, path, '\n', this.#tree.revision);
      await this.changed(`${path} is made.`, answer.found, entry);
      if (entry === this.#entry) await this.show(entry, path);
    });
  }
}
