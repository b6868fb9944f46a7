// One file that is open: looked at, written in, saved. What a person wrote stays until it is saved or thrown away.
import { skills, agentNow } from './api.js';
import { h, fill, button, settled } from './dom.js';
import { confirm } from './dialogs.js';
import { compare } from './conflict.js';
import { attempt, findings } from './telling.js';
import { Editor } from './editor.js';
import { isEditable, whyNot } from './state.js';
import * as drafts from './drafts.js';

export class Sheet {
  #revision;

  /** `saved` and `removed` are told what a change came to. */
  constructor({ entry, path, file, saved, removed }) {
    Object.assign(this, { entry, path, saved, removed });
    this.place = { agent: agentNow(), address: entry.address, name: entry.name, path };
    this.#revision = file.revision;
    this.may = isEditable(entry);
    this.kept = h('div', {});
    this.said = h('div', { 'aria-live': 'polite' });
    this.mark = h('span', { class: 'ksk-unsaved' });
    this.button = button('Save', () => this.save(), 'primary', { disabled: true });
    this.keepLater = settled(() => this.keep(), 300);
    this.editor = new Editor({
      label: `${path} of ${entry.name}`, readOnly: !this.may, onSave: () => this.save(), onChange: () => this.#changed(),
    });
    this.editor.load(file.content);
    this.element = h('div', { class: 'ksk-file' }, this.kept, this.editor.element,
      h('div', { class: 'ksk-file-foot' }, this.editor.size, this.mark, this.may
        ? [path !== 'SKILL.md' && button('Delete file', () => this.#remove()), this.button]
        : h('span', { class: 'ksk-note' }, whyNot(entry))),
      this.said);
    const draft = drafts.find(this.place);
    if (draft && this.may) this.#takeUp(draft, file);
  }

  get isDirty() { return this.editor.isDirty; }

  /** Whether it may be closed: at once where nothing is unsaved, else as a person says. */
  async mayClose() {
    if (!this.isDirty) return true;
    const leave = await confirm('Unsaved changes', `What you wrote in ${this.path} is not saved.`, 'Discard it',
      { kind: 'danger', no: 'Keep writing' });
    if (leave) this.#discard();
    else this.editor.area.focus();
    return Boolean(leave);
  }

  /** Keeps what is unsaved beyond this page's life; nothing where nothing is. */
  keep() {
    if (!this.may) return; // what is kept was written when it could be saved
    if (!this.isDirty) drafts.drop(this.place);
    else if (!drafts.keep(this.place, this.editor.text, this.#revision)) {
      this.mark.textContent = 'Unsaved, and too much for this browser to keep';
    }
  }

  async save() {
    if (!this.isDirty || this.editor.isTooLarge) return;
    const mine = this.editor.text;
    this.button.disabled = true;
    await attempt(this.said, async () => {
      try {
        await this.#written(mine, await skills.write(this.entry.address, this.path, mine, this.#revision));
      } catch (error) {
        if (!error.isStale) throw error;
        await this.#compare(mine);
      }
    });
    this.#changed();
  }

  async #written(mine, answer) {
    this.#revision = answer.revision;
    this.editor.settle(mine);
    this.keep();
    fill(this.kept);
    await this.saved(`${this.path} is saved.`, answer.found);
    if (answer.warnings?.length) fill(this.said, findings(answer.warnings, (each) => this.editor.jump(each.line)));
  }

  /** Somebody else changed the skill: both texts are shown, and nothing is lost. */
  async #compare(mine) {
    const theirs = await skills.file(this.entry.address, this.path);
    const choice = await compare(this.entry.name, mine, theirs.content);
    if (!choice) return;
    this.#revision = theirs.revision;
    if (choice === 'mine') {
      await this.save();
      return;
    }
    this.editor.load(theirs.content);
    this.keep();
    fill(this.kept);
    await this.saved('Their text is taken.');
  }

  async #remove() {
    if (!(await confirm('Delete file', `Delete ${this.path} of ${this.entry.name}?`, 'Delete file', { kind: 'danger' }))) return;
    await attempt(this.said, async () => {
      const answer = await skills.removeFile(this.entry.address, this.path, this.#revision);
      this.#discard();
      await this.removed(`${this.path} is deleted.`, answer.found);
    });
  }

  #takeUp(draft, file) {
    if (draft.text === file.content) {
      drafts.drop(this.place);
      return;
    }
    this.#revision = draft.revision; // so that what somebody wrote since is met when it is saved
    this.editor.load(file.content, draft.text);
    const back = () => {
      this.#revision = file.revision;
      this.editor.load(file.content);
      this.keep();
      fill(this.kept);
    };
    fill(this.kept, h('div', { class: 'ksk-callout', role: 'status' },
      h('p', {}, 'This is what you wrote before and did not save.'), button('Throw it away', back)));
  }

  #discard() {
    this.editor.revert();
    drafts.drop(this.place);
  }

  #changed() {
    this.button.disabled = !this.isDirty || this.editor.isTooLarge;
    this.mark.textContent = this.isDirty ? 'Unsaved' : '';
    this.keepLater();
  }
}
