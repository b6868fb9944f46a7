// One entry: what it is, its state, and four ways to look at it.
import { skills } from './api.js';
import { h, fill, button, count, freshId, short } from './dom.js';
import { attempt } from './telling.js';
import { Controls } from './controls.js';
import { Files } from './files.js';
import { originOf } from './origin.js';
import { checksOf, findingsOf } from './checks.js';
import { removeSkill } from './remove.js';
import { PLACES, SOURCES } from './state.js';

/** Who goes through the list row by row is asked for nothing that they do not stop at, for so many milliseconds. */
const HASTE = 150;
const TABS = [['procedure', 'Procedure'], ['files', 'Files'], ['origin', 'Origin'], ['checks', 'Checks']];

export class Detail {
  #entry = null;
  #tab = 'procedure';
  #asked = 0;
  #turned = 0;

  /** `changed` is told of each change: what to say, what came of it, and the entry that it was made to. For `opened` see `Files`. */
  constructor({ changed, opened, open, back }) {
    Object.assign(this, { changed, open });
    const kept = (said, found, entry) => changed(said, { found, entry, keepsFiles: true });
    this.files = new Files({ changed: kept, opened });
    this.controls = new Controls({ changed: kept, remove: (entry) => this.#remove(entry) });
    this.title = h('h2', { tabIndex: -1 });
    this.about = h('p', { class: 'ksk-lead' });
    this.facts = h('p', { class: 'ksk-meta' });
    this.id = freshId();
    this.tabs = TABS.map(([id, label]) => h('button', {
      type: 'button', role: 'tab', id: `${this.id}-${id}`, 'aria-controls': `${this.id}-body`, data: { tab: id },
      on: { click: () => this.show(this.#entry, { tab: id }) },
    }, label));
    this.bar = h('div', {
      class: 'ksk-tabs', role: 'tablist', 'aria-label': 'Ways to look at it', on: { keydown: (event) => this.#move(event) },
    }, this.tabs);
    this.body = h('div', {
      class: 'ksk-body', role: 'tabpanel', id: `${this.id}-body`, tabIndex: 0, on: { click: (event) => this.#follow(event) },
    });
    this.empty = h('p', { class: 'ksk-none' }, 'Choose a skill to see its procedure.');
    this.whole = h('div', { class: 'ksk-whole', hidden: true },
      h('header', {}, button('‹ All skills', back, 'secondary', { class: 'ksk-back' }),
        h('div', { class: 'ksk-head' }, this.title, this.controls.element), this.about, this.facts,
        this.controls.fit, this.controls.failed),
      this.bar, this.body);
    this.element = h('section', { class: 'ksk-detail', 'aria-label': 'The chosen skill' }, this.empty, this.whole);
  }

  get tab() { return this.#tab; }

  set mayState(may) { this.controls.mayState = may; }

  mayLeave() { return this.files.mayLeave(); }

  focus() { this.title.focus(); }

  /** Shows nothing; what is unsaved is kept for when a person comes back. */
  clear() {
    this.files.close();
    this.controls.clear(); // before it is hidden: a field that loses the focus by that is changed
    this.#entry = null;
    this.#asked += 1;
    this.whole.hidden = true;
    this.empty.hidden = false;
  }

  /** Shows an entry; `keepsFiles` where what is on screen of its files is already what is there. */
  async show(entry, { tab = null, path, line = 0, keepsFiles = false } = {}) {
    const isOther = entry.key !== this.#entry?.key && !keepsFiles;
    const chosen = tab ?? (isOther ? (entry.kind === 'rejected' ? 'checks' : 'procedure') : this.#tab);
    const isLeft = this.#tab === 'files' && !isOther && !keepsFiles && (chosen !== 'files' || path !== undefined);
    if (isLeft && !(await this.files.mayLeave())) return;
    this.#entry = entry;
    this.#tab = chosen;
    this.whole.hidden = false;
    this.empty.hidden = true;
    this.#head(entry);
    const asked = (this.#asked += 1);
    if (isOther) {
      fill(this.body, h('p', { class: 'ksk-note' }, 'Loading…'));
      if (await this.#isPassedBy(asked)) return;
    }
    this.#count(entry, asked);
    if (chosen === 'files') {
      const stays = keepsFiles || (!isOther && path === undefined && this.files.isDirty);
      if (stays && this.files.element.isConnected) return;
      if (!this.files.element.isConnected) fill(this.body, this.files.element);
      await this.files.show(entry, path, line);
      return;
    }
    const place = h('div', {});
    const shown = await attempt(place, () => this.#view(entry, chosen), () => this.show(entry, { tab: chosen }));
    if (asked === this.#asked) fill(this.body, shown ?? place);
  }

  async #view(entry, tab) {
    const told = {
      changed: (said, found) => this.changed(said, { found, entry }), open: this.open,
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

  async #isPassedBy(asked) {
    const isHasty = performance.now() - this.#turned < HASTE;
    this.#turned = performance.now();
    if (isHasty) await new Promise((resolve) => { setTimeout(resolve, HASTE); });
    return asked !== this.#asked;
  }

  #follow(event) {
    const link = event.target.closest('a[data-path]');
    if (!link) return;
    event.preventDefault();
    this.show(this.#entry, { tab: 'files', path: link.dataset.path });
  }

  async #count(entry, asked) {
    const found = await findingsOf(entry).catch(() => []); // the tab itself says why they are not there
    if (asked === this.#asked) this.tabs[3].textContent = found.length ? `Checks ${found.length}` : 'Checks';
  }

  #head(entry) {
    const { record } = entry;
    this.title.textContent = entry.name;
    this.about.textContent = entry.kind === 'rejected' ? entry.text : record.description;
    const facts = [entry.label, PLACES[entry.source] ?? entry.source];
    if (record.revision) facts.push(`revision ${short(record.revision)}`);
    if (record.token_cost) facts.push(`about ${count(record.token_cost)} tokens`);
    if (record.edited) facts.push('edited since it was installed');
    if (record.shadowed?.length) facts.push(`shadows the ${record.shadowed.map((copy) => SOURCES[copy.source] ?? copy.source).join(' and ')} copy`);
    this.facts.textContent = facts.join(' · ');
    this.controls.show(entry);
    for (const tab of this.tabs) {
      const isChosen = tab.dataset.tab === this.#tab;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    this.body.setAttribute('aria-labelledby', `${this.id}-${this.#tab}`);
  }

  async #remove(entry) {
    if (!(await this.files.mayLeave())) return;
    const answer = await removeSkill(entry, (said) => this.changed(said));
    if (answer) await this.changed(answer.said, { ...answer, entry });
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
