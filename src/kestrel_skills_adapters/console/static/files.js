// The files of a skill: which there are, which is open, and new ones.
import { skills, agentNow } from './api.js';
import { h, fill, button, count } from './dom.js';
import { askText } from './dialogs.js';
import { attempt, problemBox } from './telling.js';
import { Sheet, fileOf } from './sheet.js';
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
    // No `nav`: the Console lays those out as its own bars.
    this.nav = h('div', { class: 'ksk-tree', role: 'navigation', 'aria-label': 'Files of the skill' });
    this.failed = h('div', {});
    this.main = h('div', { class: 'ksk-open' });
    this.element = h('div', { class: 'ksk-files' }, this.nav, h('div', { class: 'ksk-open' }, this.failed, this.main));
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
    this.#entry = null;
    this.#sheet = null;
    for (const each of [this.nav, this.failed, this.main]) fill(each);
  }

  /**
   * Shows a file of an entry: without a path, of the folder that is shown the same as now. What is open stays open, with
   * the place where a person reads or writes; where somebody changed it, and nothing is unsaved, it is what is there now.
   */
  async show(entry, path = this.#isOf(entry) && this.#sheet ? this.#sheet.path : 'SKILL.md', line = 0) {
    const asked = (this.#asked += 1);
    const isOpen = this.#isOf(entry) && path === this.#sheet?.path && isEditable(entry) === isEditable(this.#sheet.entry);
    if (!this.#isOf(entry)) fill(this.nav);
    this.#entry = entry;
    if (!isOpen) {
      this.#sheet = null;
      fill(this.main);
    }
    await attempt(this.failed, async () => {
      const tree = await skills.tree(entry.address);
      if (asked !== this.#asked) return;
      this.#tree = tree;
      const isMeant = this.#has(path) || drafts.find({ agent: agentNow(), address: entry.address, path }) || (isOpen && this.isDirty);
      if (!isMeant) fill(this.failed, h('p', { class: 'ksk-callout', role: 'status' }, `${path} is not there.`));
      await this.#open(isMeant ? path : tree.files[0]?.path, isMeant ? line : 0, asked);
    }, () => this.show(entry, path, line));
  }

  #isOf(entry) { return entry.address === this.#entry?.address; }

  #has(path) { return this.#tree.files.some((each) => each.path === path); }

  async #open(path, line, asked) {
    this.#list(path);
    if (!path) {
      this.#sheet = null;
      fill(this.main);
      return;
    }
    const entry = this.#entry;
    const isOpen = path === this.#sheet?.path;
    if (!isOpen || !this.#sheet.isOf(this.#tree)) {
      const file = await fileOf(entry.address, path, this.#tree);
      if (asked !== this.#asked) return;
      if (!isOpen || !this.#sheet.follow(file)) this.#lay(entry, path, file);
    }
    if (line) this.#sheet.editor.jump(line);
  }

  #lay(entry, path, file) {
    const changed = async (said, found, ...where) => {
      await this.changed(said, found, entry);
      if (this.#isOf(entry)) await this.show(entry, ...where);
    };
    this.#sheet = new Sheet({
      entry, path, file,
      saved: (said, found) => changed(said, found),
      removed: (said, found) => changed(said, found, 'SKILL.md'),
      jump: (finding) => this.#jump(finding),
    });
    fill(this.main, this.#sheet.element);
    this.opened();
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

  async #switch(path, line = 0) {
    if (path !== this.#sheet?.path && (await this.mayLeave())) await this.show(this.#entry, path, line);
  }

  #jump({ file, line }) {
    if (file === this.#sheet.path) this.#sheet.editor.jump(line || 1);
    else this.#switch(file, line || 1);
  }

  /** Makes a file where none was in what is listed: the revision of that goes with it, so that none is there by then. */
  async #make() {
    if (!(await this.mayLeave())) return;
    const path = await askText('New file', 'Path, such as references/notes.md', 'Make it');
    if (!path) return;
    const entry = this.#entry;
    if (this.#has(path)) {
      await this.show(entry, path);
      fill(this.failed, problemBox({ message: `${path} is there already`, fix: 'write in it, or choose another path' }));
      return;
    }
    await attempt(this.failed, async () => {
      try {
        const answer = await skills.write(entry.address, path, '\n', this.#tree.revision);
        await this.changed(`${path} is made.`, answer.found, entry);
        if (this.#isOf(entry)) await this.show(entry, path);
      } catch (error) {
        if (error.isStale) await this.show(entry);
        throw error;
      }
    });
  }
}
