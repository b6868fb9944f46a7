// One file that is open: looked at, written in, saved. What a person wrote stays until it is saved or thrown away.
import { skills, agentNow, Problem } from './api.js';
import { h, fill, button, settled } from './dom.js';
import { confirm } from './dialogs.js';
import { compare } from './conflict.js';
import { attempt, findings, problemBox } from './telling.js';
import { Editor } from './editor.js';
import { isEditable, whyNot } from './state.js';
import * as drafts from './drafts.js';

/**
 * A file as it is in a tree of its folder: `content` is null where it is not there, or is nothing that can be shown, which
 * `problem` then says; `revision` is that of the folder.
 */
export async function fileOf(address, path, tree) {
  const file = { content: null, problem: null, revision: tree.revision };
  if (!tree.files.some((each) => each.path === path)) return file;
  try {
    const { content, revision } = await skills.file(address, path);
    return { ...file, content, revision: revision ?? tree.revision };
  } catch (error) {
    if (!(error instanceof Problem) || error.faults.length === 0) throw error;
    return { ...file, problem: error };
  }
}

export class Sheet {
  #revision;
  #isUnshown;
  #isSaving = false;
  #isWished = false;

  /** `saved` and `removed` are told what a change came to; `jump` leads to the place of a finding. */
  constructor({ entry, path, file, saved, removed, jump }) {
    Object.assign(this, { entry, path, saved, removed, jump });
    this.place = { agent: agentNow(), address: entry.address, name: entry.name, path };
    this.#revision = file.revision;
    this.#isUnshown = Boolean(file.problem);
    this.may = isEditable(entry) && !this.#isUnshown;
    this.kept = h('div', {});
    this.said = h('div', { 'aria-live': 'polite' });
    this.mark = h('span', { class: 'ksk-unsaved' });
    this.button = button('Save', () => this.save(), 'primary', { disabled: true });
    this.keepLater = settled(() => this.keep(), 300);
    this.editor = new Editor({
      label: `${path} of ${entry.name}`, readOnly: !this.may, onSave: () => this.save(), onChange: () => this.#changed(),
    });
    this.editor.load(file.content ?? '');
    this.element = h('div', { class: 'ksk-file' }, this.kept,
      this.#isUnshown ? h('div', { class: 'ksk-unshown' }, problemBox(file.problem)) : this.editor.element,
      h('div', { class: 'ksk-file-foot' }, !this.#isUnshown && this.editor.size, this.mark, isEditable(entry)
        ? [path !== 'SKILL.md' && button('Delete file', () => this.#remove()), this.may && this.button]
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

  /** Whether nothing of a tree is new to it, or what is unsaved holds it where it is. */
  isOf(tree) { return this.isDirty || this.#revision === tree.revision; }

  /** Takes what is there now, where nothing is unsaved; where the text is the same, the place in it stays. Whether it can. */
  follow(file) {
    if (this.isDirty) return true;
    if (Boolean(file.problem) !== this.#isUnshown) return false;
    this.#revision = file.revision;
    if (file.content !== this.editor.saved) this.editor.load(file.content ?? '');
    return true;
  }

  /** Saves one text after the other: what is asked for while one is under way follows it, on what came of that. */
  async save() {
    this.#isWished = true;
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.button.disabled = true;
    try {
      while (this.#isWished && this.isDirty && !this.editor.isTooLarge) {
        this.#isWished = false;
        if (!(await attempt(this.said, () => this.#write(this.editor.text), null, this.jump))) break;
      }
    } finally {
      this.#isSaving = this.#isWished = false;
    }
    this.#changed();
  }

  /** Whether it is written, or shall be written once more. */
  async #write(mine) {
    try {
      await this.#written(mine, await skills.write(this.entry.address, this.path, mine, this.#revision));
      return true;
    } catch (error) {
      if (!error.isStale) throw error;
      return this.#compare(mine);
    }
  }

  async #written(mine, answer) {
    this.#revision = answer.revision;
    this.editor.settle(mine);
    this.keep();
    fill(this.kept);
    await this.saved(`${this.path} is saved.`, answer.found);
    if (answer.warnings?.length) fill(this.said, findings(answer.warnings, this.jump));
  }

  /** Somebody else changed the skill: both texts are shown, and nothing is lost. Whether mine shall be saved on top. */
  async #compare(mine) {
    const { address, name } = this.entry;
    const theirs = await fileOf(address, this.path, await skills.tree(address));
    const choice = await compare({ name, path: this.path, mine, theirs });
    if (!choice) return false;
    this.#revision = theirs.revision;
    this.#isWished = choice === 'mine';
    if (this.#isWished) return true;
    if (theirs.content === null) {
      this.#discard();
      await this.removed('Theirs is taken.');
      return false;
    }
    this.editor.load(theirs.content);
    this.keep();
    fill(this.kept);
    await this.saved('Their text is taken.');
    return false;
  }

  async #remove() {
    if (!(await confirm('Delete file', `Delete ${this.path} of ${this.entry.name}?`, 'Delete file', { kind: 'danger' }))) return;
    await attempt(this.said, async () => {
      try {
        const answer = await skills.removeFile(this.entry.address, this.path, this.#revision);
        this.#discard();
        await this.removed(`${this.path} is deleted.`, answer.found);
      } catch (error) {
        if (error.isStale) await this.saved(); // so that what is deleted next is what was looked at
        throw error;
      }
    });
  }

  #takeUp(draft, file) {
    const there = file.content ?? ''; // it was deleted meanwhile, and what was written in it is kept
    if (draft.text === there) {
      drafts.drop(this.place);
      return;
    }
    this.#revision = draft.revision; // so that what somebody wrote since is met when it is saved
    this.editor.load(there, draft.text);
    const back = () => {
      this.#revision = file.revision;
      this.editor.load(there);
      this.keep();
      fill(this.kept);
    };
    fill(this.kept, h('div', { class: 'ksk-callout', role: 'status' },
      h('p', {}, 'This is what you wrote before and did not save.'), button('Throw it away', back)));
  }

  #discard() {
    this.editor.revert();
    fill(this.kept);
    fill(this.said);
    drafts.drop(this.place);
  }

  #changed() {
    this.button.disabled = !this.isDirty || this.editor.isTooLarge;
    this.mark.textContent = this.isDirty ? 'Unsaved' : '';
    this.keepLater();
  }
}
