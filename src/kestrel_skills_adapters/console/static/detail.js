// One entry: its state, which may be changed, and four ways to look at it.
import { skills, Elsewhere, Problem } from './api.js';
import { h, fill, button, count, freshId, settled, short } from './dom.js';
import { problemBox } from './dialogs.js';
import { Files } from './files.js';
import { originOf } from './origin.js';
import { checksOf, findingsOf } from './checks.js';
import { removeSkill } from './remove.js';
import { whyNot, PLACES, PRIORITIES, SOURCES } from './state.js';

const TABS = [['procedure', 'Procedure'], ['files', 'Files'], ['origin', 'Origin'], ['checks', 'Checks']];

export class Detail {
  #entry = null;
  #tab = 'procedure';
  #asked = 0;

  constructor({ changed, open, back, say }) {
    Object.assign(this, { changed, open, say });
    this.files = new Files({ changed: (said, found) => this.changed(said, found, { keepsFiles: true }), say });
    this.title = h('h2', { tabIndex: -1 });
    this.about = h('p', { class: 'ksk-lead' });
    this.facts = h('p', { class: 'ksk-meta' });
    this.state = h('div', { class: 'ksk-state' });
    this.fit = h('p', { class: 'ksk-note ksk-fit', role: 'status', hidden: true });
    this.failed = h('div', {});
    this.id = freshId();
    this.tabs = TABS.map(([id, label]) => h('button', {
      type: 'button', role: 'tab', id: `${this.id}-${id}`, 'aria-controls': `${this.id}-body`, data: { tab: id },
      on: { click: () => this.show(this.#entry, { tab: id }) },
    }, label));
    this.bar = h('div', { class: 'ksk-tabs', role: 'tablist', 'aria-label': 'Ways to look at it', on: { keydown: (event) => this.#move(event) } }, this.tabs);
    this.body = h('div', { class: 'ksk-body', role: 'tabpanel', id: `${this.id}-body`, tabIndex: 0 });
    this.empty = h('p', { class: 'ksk-none' }, 'Choose a skill to see its procedure.');
    this.whole = h('div', { class: 'ksk-whole', hidden: true },
      h('header', {}, button('‹ All skills', back, 'secondary', { class: 'ksk-back' }),
        h('div', { class: 'ksk-head' }, this.title, this.state), this.about, this.facts, this.fit, this.failed),
      this.bar, this.body);
    this.element = h('section', { class: 'ksk-detail', 'aria-label': 'The chosen skill' }, this.empty, this.whole);
    this.body.addEventListener('click', (event) => this.#follow(event));
    this.tryOut = settled((priority) => this.#try(priority));
  }

  get tab() { return this.#tab; }

  mayLeave() { return this.files.mayLeave(); }

  focus() { this.title.focus(); }

  clear() {
    this.#entry = null;
    this.#asked += 1;
    this.whole.hidden = true;
    this.empty.hidden = false;
  }

  /** Shows an entry; `keepsFiles` where what is on screen of its files is already what is there. */
  async show(entry, { tab = null, path, line = 0, keepsFiles = false } = {}) {
    const isOther = entry.key !== this.#entry?.key;
    const chosen = tab ?? (isOther ? (entry.kind === 'rejected' ? 'checks' : 'procedure') : this.#tab);
    if (chosen !== 'files' && this.#tab === 'files' && !isOther && !(await this.files.mayLeave())) return;
    this.#entry = entry;
    this.#tab = chosen;
    this.whole.hidden = false;
    this.empty.hidden = true;
    this.#head(entry);
    for (const each of this.tabs) {
      const isChosen = each.dataset.tab === chosen;
      each.setAttribute('aria-selected', String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
    }
    this.body.setAttribute('aria-labelledby', `${this.id}-${chosen}`);
    const asked = (this.#asked += 1);
    this.#count(entry, asked);
    if (chosen === 'files') {
      if (keepsFiles && this.files.element.isConnected) return;
      fill(this.body, this.files.element);
      await this.files.show(entry, path, line);
      return;
    }
    if (isOther) fill(this.body, h('p', { class: 'ksk-note' }, 'Loading…'));
    try {
      const shown = await this.#view(entry, chosen);
      if (asked === this.#asked) fill(this.body, shown);
    } catch (error) {
      if (error instanceof Elsewhere || asked !== this.#asked) return;
      fill(this.body, problemBox(error));
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #view(entry, tab) {
    const told = {
      changed: this.changed, open: this.open,
      jump: (finding) => this.show(entry, { tab: 'files', path: finding.file, line: finding.line || 1 }),
    };
    if (tab === 'origin') return originOf(entry, told);
    if (tab === 'checks') return checksOf(entry, await findingsOf(entry), told);
    const preview = await skills.preview(entry.address, 'SKILL.md');
    const article = h('article', { class: 'ksk-prose ksk-rendered' });
    article.innerHTML = preview.html; // cleaned by the server: no script, no style, nothing that loads
    for (const link of article.querySelectorAll('a[data-broken]')) link.title = 'This link leads nowhere';
    return article;
  }

  #follow(event) {
    const link = event.target.closest('a[data-path]');
    if (!link) return;
    event.preventDefault();
    this.show(this.#entry, { tab: 'files', path: link.dataset.path });
  }

  async #count(entry, asked) {
    const tab = this.tabs[3];
    try {
      const found = await findingsOf(entry);
      if (asked === this.#asked) tab.textContent = found.length ? `Checks ${found.length}` : 'Checks';
    } catch {
      tab.textContent = 'Checks';
    }
  }

  #head(entry) {
    const { record } = entry;
    this.title.textContent = entry.name;
    this.about.textContent = entry.kind === 'rejected' ? entry.text : record.description;
    this.fit.hidden = true;
    fill(this.failed);
    const facts = [entry.label, PLACES[entry.source] ?? entry.source];
    if (record.revision) facts.push(`revision ${short(record.revision)}`);
    if (record.token_cost) facts.push(`about ${count(record.token_cost)} tokens`);
    if (record.edited) facts.push('edited since it was installed');
    if (record.shadowed?.length) facts.push(`shadows the ${record.shadowed.map((copy) => SOURCES[copy.source] ?? copy.source).join(' and ')} copy`);
    this.facts.textContent = facts.join(' · ');
    const focused = document.activeElement?.dataset?.part;
    fill(this.state, ...this.#controls(entry));
    if (focused) this.state.querySelector(`[data-part="${focused}"]`)?.focus();
  }

  #controls(entry) {
    const { record } = entry;
    const remove = record.delete_revision && entry.kind !== 'copy'
      ? button('Delete…', () => this.#remove(entry), 'secondary', { data: { part: 'delete' } })
      : '';
    if (entry.kind === 'rejected') return [remove];
    if (entry.kind === 'copy') return [h('span', { class: 'ksk-note' }, whyNot(entry))];
    const isOff = !this.mayState;
    const on = h('button', {
      type: 'button', class: 'btn btn-secondary ksk-switch', role: 'switch', 'aria-checked': String(record.enabled),
      'aria-label': `Enabled: ${entry.name}`, disabled: isOff, data: { part: 'on' },
      on: { click: () => this.#set(entry, { enabled: !record.enabled }, record.enabled ? 'is disabled' : 'is enabled') },
    }, h('span', { class: 'ksk-knob', 'aria-hidden': 'true' }), record.enabled ? 'Enabled' : 'Disabled');
    const priority = h('input', {
      type: 'number', ...PRIORITIES, value: String(record.priority), class: 'ksk-number', disabled: isOff,
      data: { part: 'priority' },
      on: {
        input: (event) => event.target.checkValidity() && event.target.value !== '' && this.tryOut(Number(event.target.value)),
        keydown: (event) => {
          if (event.key === 'Enter') event.target.blur();
        },
        change: (event) => {
          const wanted = Number(event.target.value);
          if (event.target.checkValidity() && event.target.value !== '' && wanted !== record.priority) {
            this.#set(entry, { priority: wanted }, `has priority ${wanted}`);
          }
        },
      },
    });
    const pin = h('input', {
      type: 'checkbox', checked: Boolean(record.pin), disabled: isOff || !record.enabled, data: { part: 'pin' },
      on: { change: (event) => this.#set(entry, { pin: event.target.checked ? record.revision : null }, event.target.checked ? 'is pinned to this revision' : 'is no longer pinned') },
    });
    return [on, h('label', { class: 'ksk-check' }, 'Priority ', priority),
      h('label', { class: 'ksk-check', title: 'Enabled only as long as no file of it changes' }, pin, ' Pin'), remove];
  }

  async #try(priority) {
    const entry = this.#entry;
    try {
      const context = await skills.fit([{ name: entry.name, priority }]);
      if (entry !== this.#entry) return;
      const at = context.included.indexOf(entry.name);
      const place = at >= 0
        ? `in the prompt, ${count(at + 1)} of ${count(context.included.length)}`
        : entry.record.enabled ? 'left out of the prompt' : 'not in the prompt, as it is disabled';
      this.fit.hidden = false;
      this.fit.textContent = `With ${count(priority)}: ${place}. ${count(context.bytes)} of ${count(context.budget)} bytes, ${count(context.omitted.length)} left out.`;
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.failed, problemBox(error));
    }
  }

  async #set(entry, body, said) {
    try {
      const answer = await skills.setState(entry.address, body, entry.record.etag);
      await this.changed(`${entry.name} ${said}.`, answer.found, { keepsFiles: true });
    } catch (error) {
      if (error instanceof Elsewhere) return;
      if (error.isStale) await this.changed(`${entry.name} was changed meanwhile. This is how it is now; nothing was set.`, null, { keepsFiles: true });
      fill(this.failed, problemBox(error));
    }
  }

  async #remove(entry) {
    if (!(await this.mayLeave())) return;
    const answer = await removeSkill(entry);
    if (answer) await this.changed(`${entry.name} is deleted.`, answer.found ?? null, { isGone: true });
  }

  #move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = TABS.findIndex(([id]) => id === this.#tab);
    const to = (at + step + TABS.length) % TABS.length;
    this.tabs[to].focus();
    this.show(this.#entry, { tab: TABS[to][0] });
  }
}

