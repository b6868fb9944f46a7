// The panel: what is where, which entry is chosen, and when to look again.
import { skills, agentNow, Elsewhere, Problem, SwitchedOff } from './api.js';
import { h, fill, button, plural, settled } from './dom.js';
import { confirm, dismiss } from './dialogs.js';
import { lost } from './conflict.js';
import { keepFocus } from './focus.js';
import { FILTERS, counts, entries, isEditable, matching } from './state.js';
import { List } from './list.js';
import { Detail } from './detail.js';
import { Meter } from './meter.js';
import { Notices } from './notices.js';
import { createSkill } from './create.js';
import { installSkill } from './install.js';
import * as drafts from './drafts.js';

export class Panel {
  #all = [];
  #chosen = null;
  #hasPainted = false;
  #wanted = null;
  #seen = '';
  #found = '';
  #agent = null;
  #asked = 0;
  #shown = 0;

  constructor() {
    this.search = h('input', {
      type: 'search', class: 'ksk-search', placeholder: 'Search names, descriptions   /', 'aria-label': 'Search skills',
      on: { input: settled(() => this.#list({ isSought: true }), 60), keydown: (event) => this.#fromSearch(event) },
    });
    this.filter = h('select', { 'aria-label': 'Show', on: { change: () => this.#list({ isSought: true }) } });
    this.fresh = button('New', () => this.#create());
    this.bring = button('Install', () => this.#install());
    this.live = h('p', { class: 'ksk-live', role: 'status', 'aria-live': 'polite' });
    this.notices = new Notices({ resume: (draft) => this.#resume(draft), drop: (draft) => this.#drop(draft) });
    this.meter = new Meter({
      saved: (said) => this.changed(said), open: (name) => this.pick(name, true), say: (text) => this.say(text),
    });
    this.list = new List({ onPick: (key) => this.pick(key), onEnter: () => this.#enter() });
    this.detail = new Detail({
      changed: (...given) => this.changed(...given), opened: () => this.#showDrafts(),
      open: (key) => this.pick(key, true), back: () => this.#back(),
    });
    this.columns = h('div', { class: 'ksk-split' },
      h('div', { class: 'ksk-side' }, this.list.element, this.list.none), this.detail.element);
    this.element = h('div', { class: 'ksk', on: { keydown: (event) => this.#hear(event) } },
      h('div', { class: 'ksk-top' }, h('h1', {}, 'Skills'), this.search, this.filter, this.fresh, this.bring),
      this.notices.element, this.meter.element, this.columns, this.live);
    keepFocus(this.element, () => this.#back());
    this.#begin();
  }

  get isDirty() { return this.detail.files.isDirty; }

  get view() {
    return { chosen: this.#chosen, tab: this.detail.tab, filter: this.filter.value, search: this.search.value };
  }

  set view(kept) {
    this.search.value = kept?.search ?? '';
    this.#wanted = kept;
    if (this.#hasPainted) this.#restore();
  }

  say(text) {
    this.live.textContent = text;
  }

  /** Keeps what is unsaved for when a person comes back; the page may go now. */
  keep() { this.detail.files.keep(); }

  /** Forgets everything of an agent that is not the chosen one any more; but what is unsaved is kept. */
  turn() {
    if (agentNow() === this.#agent) return;
    dismiss();
    this.#begin();
  }

  #begin() {
    this.detail.clear();
    this.meter.forget();
    this.notices.clear();
    this.#agent = agentNow();
    this.#seen = '';
    this.#all = [];
    this.#chosen = null;
    this.#hasPainted = false;
    this.search.value = this.filter.value = '';
    this.columns.hidden = this.meter.element.hidden = true;
    this.element.classList.remove('ksk-inside');
    this.say('Loading…');
  }

  /** Looks again; where nothing is new, or a person is in the middle of something, that stays as it is. */
  async look({ keepsFiles = this.isDirty, isOwn = false } = {}) {
    const asked = (this.#asked += 1);
    let catalog;
    try {
      catalog = await skills.catalog();
    } catch (error) {
      if (error instanceof Elsewhere || asked < this.#shown) return;
      if (!(error instanceof Problem)) throw error;
      this.#seen = '';
      if (error instanceof SwitchedOff) this.columns.hidden = this.meter.element.hidden = true;
      this.notices.fail(error, () => this.look());
      if (!this.#hasPainted) this.say('');
      return;
    }
    if (asked < this.#shown) return; // a later look came first
    this.#shown = asked;
    const seen = JSON.stringify(catalog);
    const isNew = seen !== this.#seen;
    this.#seen = seen;
    if (isNew || isOwn) await this.#show(catalog, keepsFiles);
    if (!catalog.hidden) this.#showDrafts();
  }

  async #show(catalog, keepsFiles) {
    const isOpen = !catalog.hidden;
    for (const each of [this.columns, this.meter.element, this.search, this.filter]) each.hidden = !isOpen;
    this.fresh.disabled = this.bring.disabled = !isOpen;
    this.notices.show(catalog);
    if (!this.#hasPainted) this.say('');
    if (!isOpen) {
      this.#all = [];
      this.detail.clear();
      return;
    }
    this.detail.mayState = catalog.enablement_available;
    this.#all = entries(catalog);
    this.#filters();
    this.meter.show(catalog);
    const isFirst = !this.#hasPainted;
    this.#hasPainted = true;
    if (isFirst && this.#wanted) {
      await this.#restore();
      return;
    }
    this.#list();
    const entry = this.#entry(this.#chosen);
    if (entry) await this.detail.show(entry, { keepsFiles });
    else if (this.#chosen && !this.isDirty) this.detail.clear();
    else if (this.#chosen) this.say('It is not there any more. What you wrote stays here, so that you can copy it.');
  }

  /** Chooses an entry, unless a person would rather stay where they write. */
  async pick(key, enters = false) {
    if (key !== this.#chosen && !(await this.detail.mayLeave())) return false;
    const entry = this.#entry(key);
    if (!entry) return false;
    this.#chosen = key;
    this.list.choose(key);
    this.detail.show(entry);
    if (enters) this.#enter();
    return true;
  }

  /**
   * After a change: what is there now, said aloud. What came of it is chosen, unless it was made to an entry that a
   * person has left meanwhile.
   */
  async changed(said, { found = null, entry = null, keepsFiles = false, isGone = false } = {}) {
    if (!entry || entry.key === this.#chosen) {
      if (found) this.#chosen = found.faults ? `!${found.source}/${found.name}` : found.name;
      else if (isGone) this.#chosen = null;
    }
    await this.look({ keepsFiles: keepsFiles || this.isDirty, isOwn: true });
    if (said) this.say(said);
    if (isGone && !found) {
      this.detail.clear();
      this.#back();
    }
  }

  #showDrafts() {
    const open = this.detail.files.unsaved;
    const isOpen = (draft) => draft.address === open?.address && draft.path === open?.path;
    this.notices.showDrafts(drafts.ofAgent(this.#agent).filter((draft) => !isOpen(draft)));
  }

  async #resume(draft) {
    if (!(await this.detail.mayLeave())) return;
    const entry = this.#all.find((each) => each.address === draft.address && isEditable(each));
    if (!entry) {
      if (await lost(draft)) this.#forgetDraft(draft);
      return;
    }
    this.#chosen = entry.key;
    this.list.choose(entry.key);
    const shown = this.detail.show(entry, { tab: 'files', path: draft.path });
    this.#enter();
    await shown;
  }

  async #drop(draft) {
    const isSure = await confirm('Throw it away', `What you wrote in ${draft.path} of ${draft.name} is nowhere else.`, 'Throw it away', { kind: 'danger', no: 'Keep it' });
    if (isSure) this.#forgetDraft(draft);
  }

  #forgetDraft(draft) {
    drafts.drop(draft);
    this.#showDrafts();
  }

  #entry(key) {
    return this.#all.find((entry) => entry.key === key) ?? null;
  }

  async #restore() {
    const kept = this.#wanted;
    this.#wanted = null;
    if (FILTERS.some(([id]) => id === kept?.filter)) this.filter.value = kept.filter;
    if (kept?.chosen && this.#entry(kept.chosen)) this.#chosen = kept.chosen;
    this.#list();
    const entry = this.#entry(this.#chosen);
    if (!entry) return;
    await this.detail.show(entry, { tab: kept.tab });
    if (this.isDirty) this.element.classList.add('ksk-inside');
  }

  #filters() {
    const found = counts(this.#all);
    const chosen = this.filter.value || 'all';
    fill(this.filter, ...FILTERS.map(([id, label]) => h('option', { value: id }, `${label} (${found[id]})`)));
    this.filter.value = chosen;
  }

  /** Lists what passes. How much that is is said where it was sought, and once more where that was said last. */
  #list({ isSought = false } = {}) {
    const rows = matching(this.#all, this.filter.value, this.search.value);
    const nothing = this.#all.length
      ? 'Nothing is found. Search for less, or show all.'
      : 'There are no skills yet. Make one with New, or bring one in with Install.';
    this.list.show(rows, this.#chosen, nothing);
    const found = `${plural(rows.length, 'entry', 'entries')} found.`;
    if (isSought || (this.#found && this.live.textContent === this.#found)) this.say(found);
    this.#found = found;
  }

  async #create() {
    if (!(await this.detail.mayLeave())) return;
    const made = await createSkill((said) => this.changed(said));
    if (!made) return;
    await this.changed(made.said, made);
    this.#enter();
  }

  async #install() {
    if (!(await this.detail.mayLeave())) return;
    const installed = await installSkill((said) => this.changed(said));
    if (!installed) {
      await this.look();
      return;
    }
    await this.changed(installed.said, installed);
    this.#enter();
  }

  #enter() {
    this.element.classList.add('ksk-inside');
    this.detail.focus();
  }

  #back() {
    this.element.classList.remove('ksk-inside');
    this.list.focus();
    if (this.list.element.hidden) this.search.focus();
  }

  #fromSearch(event) {
    if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      this.list.focus();
      const [first] = matching(this.#all, this.filter.value, this.search.value);
      if (first && this.list.index < 0) this.pick(first.key);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      if (this.search.value) {
        this.search.value = '';
        this.#list({ isSought: true });
      } else this.list.focus();
    }
  }

  #hear(event) {
    if (event.key === ' ') event.stopPropagation(); // the Console would take it for push-to-talk, and no button be pressed
  }

  /** Takes a key that was pressed anywhere on the page while the panel is shown, and that nothing else has taken. */
  key(event) {
    const { key, target, defaultPrevented, ctrlKey, metaKey, altKey } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
    const writes = target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])');
    if (key === '/' && !writes && !this.search.hidden) {
      event.preventDefault();
      this.search.focus();
      this.search.select();
    } else if (key === 'Escape' && (target === document.body || this.detail.element.contains(target))) {
      event.preventDefault();
      this.#back();
    }
  }
}
