// The files of a skill: look, write, make, remove. What a person wrote is never thrown away without a question.
import { skills, Elsewhere } from './api.js';
import { h, fill, button, count } from './dom.js';
import { ask, actions, askText, confirm, problemBox, findings } from './dialogs.js';
import { Editor } from './editor.js';
import { isEditable, whyNot } from './state.js';

export class Files {
  #entry = null;
  #tree = null;
  #path = '';
  #revision = null;

  constructor({ changed, say }) {
    this.changed = changed;
    this.say = say;
    this.nav = h('nav', { class: 'ksk-tree', 'aria-label': 'Files of the skill' });
    this.main = h('div', { class: 'ksk-file' });
    this.element = h('div', { class: 'ksk-files' }, this.nav, this.main);
    this.editor = null;
  }

  get isDirty() { return Boolean(this.editor?.isDirty); }

  /** Whether a person may leave: at once where nothing is unsaved, else as they say. */
  async mayLeave() {
    if (!this.isDirty) return true;
    const leave = await confirm('Unsaved changes', `What you wrote in ${this.#path} is not saved.`, 'Discard it',
      { kind: 'danger', no: 'Keep writing' });
    if (leave) this.editor = null;
    else this.editor.area.focus();
    return Boolean(leave);
  }

  /** Shows a file of an entry: of the one that is shown, the same as now. */
  async show(entry, path = entry.key === this.#entry?.key && this.#path ? this.#path : 'SKILL.md', line = 0) {
    this.#entry = entry;
    try {
      this.#tree = await skills.tree(entry.address);
      this.#list();
      const paths = this.#tree.files.map((each) => each.path);
      await this.#open(paths.includes(path) ? path : paths[0], line);
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.main, problemBox(error));
    }
  }

  #list() {
    const may = isEditable(this.#entry);
    fill(this.nav,
      h('ul', { class: 'ksk-plain' }, this.#tree.files.map((each) =>
        h('li', {}, h('button', {
          type: 'button', class: 'ksk-path', 'aria-current': each.path === this.#path ? 'true' : null,
          on: { click: () => this.#switch(each.path) },
        }, h('span', {}, each.path), h('span', { class: 'ksk-number' }, count(each.bytes)))))),
      may ? button('New file', () => this.#make(), 'secondary', { class: 'ksk-small' }) : '',
    );
  }

  async #switch(path) {
    if (path !== this.#path && (await this.mayLeave())) await this.#open(path);
  }

  async #open(path, line = 0) {
    this.#path = path ?? '';
    this.#list();
    if (!path) return fill(this.main, h('p', {}, 'There is no file.'));
    const may = isEditable(this.#entry);
    let file;
    try {
      file = await skills.file(this.#entry.address, path);
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.main, problemBox(error));
      return undefined;
    }
    this.#revision = file.revision ?? this.#tree.revision;
    this.said = h('div', { 'aria-live': 'polite' });
    this.save = button('Save', () => this.#save(), 'primary', { disabled: true });
    this.editor = new Editor({
      label: `${path} of ${this.#entry.name}`, readOnly: !may, onSave: () => this.#save(),
      onChange: () => this.#mark(),
    });
    this.editor.load(file.content);
    const dirty = h('span', { class: 'ksk-note' });
    this.dirty = dirty;
    fill(this.main,
      this.editor.element,
      h('div', { class: 'ksk-file-foot' }, this.editor.size, dirty, may
        ? [path === 'SKILL.md' ? '' : button('Delete file', () => this.#remove(), 'secondary'), this.save]
        : h('span', { class: 'ksk-note' }, whyNot(this.#entry))),
      this.said,
    );
    if (line) this.editor.jump(line);
    return undefined;
  }

  #mark() {
    if (!this.editor) return;
    this.save.disabled = !this.editor.isDirty || this.editor.isTooLarge;
    if (this.dirty) this.dirty.textContent = this.editor.isDirty ? 'Unsaved' : '';
  }

  async #save(seen = this.#revision) {
    if (!this.editor.isDirty || this.editor.isTooLarge) return;
    const mine = this.editor.text;
    fill(this.said);
    this.save.disabled = true;
    try {
      const answer = await skills.write(this.#entry.address, this.#path, mine, seen);
      this.#revision = answer.found.revision ?? null;
      this.editor.load(mine, this.editor.text);
      await this.changed(`${this.#path} is saved.`, answer.found);
      this.#tree = await skills.tree(this.#entry.address);
      this.#revision = this.#tree.revision;
      this.#list();
      if (answer.warnings?.length) fill(this.said, findings(answer.warnings, (each) => this.editor.jump(each.line)));
    } catch (error) {
      if (error instanceof Elsewhere) return;
      if (error.isStale) await this.#conflict(mine);
      else fill(this.said, problemBox(error));
    } finally {
      this.#mark();
    }
  }

  /** Somebody else changed the skill: both texts are shown, and nothing is lost. */
  async #conflict(mine) {
    let theirs;
    try {
      theirs = await skills.file(this.#entry.address, this.#path);
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.said, problemBox(error));
      return;
    }
    const choice = await ask('It was changed meanwhile', (done) => {
      const pane = (title, text) => {
        const shown = new Editor({ label: title, readOnly: true });
        shown.load(text);
        return h('div', {}, h('h3', {}, title), shown.element);
      };
      const copied = h('span', { class: 'ksk-note', role: 'status' });
      const copy = async () => {
        await navigator.clipboard.writeText(mine);
        copied.textContent = 'Copied.';
      };
      return [
        h('p', {}, `${this.#entry.name} is no longer what you opened. Your text is kept here; look at theirs beside it.`),
        h('div', { class: 'ksk-columns ksk-panes' }, pane('Yours', mine), pane('Theirs', theirs.content)),
        actions(copied, button('Copy mine', copy), button('Take theirs', () => done('theirs')),
          button('Save mine on top of theirs', () => done('mine'), 'primary')),
      ];
    }, { wide: true });
    if (choice === 'mine') {
      this.#revision = theirs.revision;
      await this.#save();
    } else if (choice === 'theirs') {
      this.#revision = theirs.revision;
      this.editor.load(theirs.content);
      await this.changed('Their text is taken.');
    }
  }

  async #make() {
    if (!(await this.mayLeave())) return;
    const path = await askText('New file', 'Path, such as references/notes.md', 'Make it');
    if (path) await this.#run(() => skills.write(this.#entry.address, path, '\n', this.#tree.revision), path, `${path} is made.`);
  }

  async #remove() {
    const path = this.#path;
    if (!(await confirm('Delete file', `Delete ${path} of ${this.#entry.name}?`, 'Delete file', { kind: 'danger' }))) return;
    this.editor = null;
    await this.#run(() => skills.removeFile(this.#entry.address, path, this.#revision), 'SKILL.md', `${path} is deleted.`);
  }

  async #run(work, path, said) {
    try {
      const answer = await work();
      await this.changed(said, answer.found);
      await this.show(this.#entry, path);
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.said ?? this.main, problemBox(error));
    }
  }
}
