// The panel: what is where, which entry is chosen, and when to look again.
import { skills, Elsewhere } from './api.js';
import { h, fill, button, plural, settled } from './dom.js';
import { problemBox } from './dialogs.js';
import { FILTERS, counts, entries, matching } from './state.js';
import { List } from './list.js';
import { Detail } from './detail.js';
import { Meter } from './meter.js';
import { createSkill } from './create.js';
import { installSkill } from './install.js';

const addressed = (entry) => ({ ...entry, address: entry.kind === 'copy' ? entry.key : entry.name });

export class Panel {
  #all = [];
  #chosen = null;
  #hasPainted = false;
  #wanted = null;
  #seen = '';

  constructor() {
    this.search = h('input', {
      type: 'search', class: 'ksk-search', placeholder: 'Search names, descriptions   /', 'aria-label': 'Search skills',
      on: { input: settled(() => this.#list(), 60), keydown: (event) => this.#fromSearch(event) },
    });
    this.filter = h('select', { 'aria-label': 'Show', on: { change: () => this.#list() } });
    this.fresh = button('New', () => this.#create());
    this.bring = button('Install', () => this.#install());
    this.live = h('p', { class: 'ksk-live', role: 'status', 'aria-live': 'polite' });
    this.notes = h('div', { class: 'ksk-notes' });
    this.meter = new Meter({ saved: (said) => this.changed(said), open: (name) => this.pick(name, true) });
    this.list = new List({ onPick: (key) => this.pick(key), onEnter: () => this.#enter() });
    this.detail = new Detail({
      changed: (...given) => this.changed(...given), open: (key) => this.pick(key, true), back: () => this.#back(),
      say: (text) => this.say(text),
    });
    this.columns = h('div', { class: 'ksk-split' },
      h('div', { class: 'ksk-side' }, this.list.element, this.list.none), this.detail.element);
    this.element = h('div', { class: 'ksk', on: { keydown: (event) => this.#key(event) } },
      h('div', { class: 'ksk-top' }, h('h1', {}, 'Skills'), this.search, this.filter, this.fresh, this.bring),
      this.notes, this.meter.element, this.columns, this.live);
    this.forget();
    window.addEventListener('beforeunload', (event) => {
      if (this.detail.files.isDirty) event.preventDefault();
    });
  }

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

  /** Forgets all of another agent. */
  forget() {
    this.#seen = '';
    this.#all = [];
    this.#chosen = null;
    this.#hasPainted = false;
    this.detail.files.editor = null;
    this.detail.clear();
    this.say('Loading…');
    this.columns.hidden = this.meter.element.hidden = true;
    fill(this.notes);
  }

  /** Looks again; where nothing is new, or a person is in the middle of something, that stays as it is. */
  async look({ keepsFiles = this.detail.files.isDirty, isOwn = false } = {}) {
    let catalog;
    try {
      catalog = await skills.catalog();
    } catch (error) {
      if (error instanceof Elsewhere) return;
      this.#seen = '';
      fill(this.notes, problemBox(error), button('Try again', () => this.look()));
      this.columns.hidden = this.meter.element.hidden = !this.#hasPainted;
      if (!this.#hasPainted) this.say('');
      return;
    }
    const seen = JSON.stringify(catalog);
    if (seen === this.#seen && !isOwn) return;
    this.#seen = seen;
    const isOpen = !catalog.hidden;
    this.columns.hidden = this.meter.element.hidden = !isOpen;
    this.fresh.disabled = this.bring.disabled = !isOpen;
    this.search.hidden = this.filter.hidden = !isOpen;
    this.#notes(catalog);
    if (!isOpen) {
      this.say('');
      this.detail.clear();
      return;
    }
    this.detail.mayState = catalog.enablement_available;
    this.#all = entries(catalog).map(addressed);
    this.#filters();
    this.meter.show(catalog);
    if (!this.#hasPainted && this.#wanted) this.#restore();
    if (!this.#hasPainted) this.say('');
    this.#hasPainted = true;
    this.#list();
    const entry = this.#entry(this.#chosen);
    if (entry) await this.detail.show(entry, { keepsFiles });
    else if (this.#chosen) this.detail.clear();
  }

  /** Chooses an entry, unless a person would rather stay where they write. */
  async pick(key, enters = false) {
    if (key !== this.#chosen && !(await this.detail.mayLeave())) return false;
    const entry = this.#entry(key);
    if (!entry) return false;
    this.#chosen = key;
    this.list.choose(key);
    if (enters) this.#enter();
    this.detail.show(entry);
    return true;
  }

  /** After a change: what is there now, said aloud, with what came of it chosen. */
  async changed(said, found = null, { keepsFiles = false, isGone = false } = {}) {
    if (found) this.#chosen = found.faults ? `!${found.source}/${found.name}` : found.name;
    else if (isGone) this.#chosen = null;
    await this.look({ keepsFiles, isOwn: true });
    this.say(said);
    if (isGone && !found) {
      this.detail.clear();
      this.#back();
    }
  }

  #entry(key) {
    return this.#all.find((entry) => entry.key === key) ?? null;
  }

  #restore() {
    const kept = this.#wanted;
    this.#wanted = null;
    if (FILTERS.some(([id]) => id === kept?.filter)) this.filter.value = kept.filter;
    if (kept?.chosen && this.#entry(kept.chosen)) this.#chosen = kept.chosen;
    if (!this.#hasPainted) return;
    this.#list();
    const entry = this.#entry(this.#chosen);
    if (entry) this.detail.show(entry, { tab: kept.tab });
  }

  #filters() {
    const found = counts(this.#all);
    const chosen = this.filter.value || 'all';
    fill(this.filter, ...FILTERS.map(([id, label]) => h('option', { value: id }, `${label} (${found[id]})`)));
    this.filter.value = chosen;
  }

  #list() {
    const rows = matching(this.#all, this.filter.value, this.search.value);
    const nothing = this.#all.length
      ? 'Nothing is found. Search for less, or show all.'
      : 'There are no skills yet. Make one with New, or bring one in with Install.';
    this.list.show(rows, this.#chosen, nothing);
    if (this.search.value) this.say(`${plural(rows.length, 'entry', 'entries')} found.`);
  }

  #notes(catalog) {
    const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
    const note = (title, text, fix) => h('div', { class: 'ksk-banner' }, h('strong', {}, title), h('p', {}, sentence(text)), fix && h('p', { class: 'ksk-note' }, `What helps: ${fix}.`));
    const told = [];
    if (catalog.hidden) {
      told.push(note('Skills are hidden', `${catalog.hidden.message}. In this privacy mode the agent neither sees its skills nor has them in its prompt; nothing is deleted, and they are back when the mode ends.`, catalog.hidden.fix));
    } else if (!catalog.enablement_available) {
      told.push(note('Which skills are enabled cannot be told', `${catalog.enablement_error?.message ?? 'The table of states does not answer'}. Until it can, none is in the prompt. Everything can still be read, written and checked.`, catalog.enablement_error?.fix));
    }
    if (!catalog.hidden) {
      for (const problem of catalog.problems) told.push(note('Some skills are not there', problem.message, problem.fix));
    }
    fill(this.notes, ...told);
  }

  async #create() {
    if (!(await this.detail.mayLeave())) return;
    const made = await createSkill();
    if (!made) return;
    await this.changed(`${made.found.name} is made. ${made.found.enabled ? 'It is enabled.' : 'It is disabled until you enable it.'}`, made.found);
    this.#enter();
  }

  async #install() {
    if (!(await this.detail.mayLeave())) return;
    const installed = await installSkill();
    if (!installed) {
      await this.look();
      return;
    }
    await this.changed(`${installed.found.name} is installed. It is disabled until you enable it.`, installed.then ?? installed.found);
    this.#enter();
  }

  #enter() {
    this.element.classList.add('ksk-inside');
    this.detail.focus();
  }

  #back() {
    this.element.classList.remove('ksk-inside');
    this.list.focus();
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
        this.#list();
      } else this.list.focus();
    }
  }

  #key(event) {
    if (event.target.closest('dialog')) return;
    const writes = event.target.matches('textarea, select, input:not([type=checkbox])');
    if (event.key === '/' && !writes) {
      event.preventDefault();
      this.search.focus();
      this.search.select();
    } else if (event.key === 'Escape' && this.detail.element.contains(event.target)) {
      event.preventDefault();
      this.#back();
    }
  }
}
