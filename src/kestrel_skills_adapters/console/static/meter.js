// What of the prompt's budget is used, and by what: the clause as the agent sees it, its order, and what was left out.
// What is moved or typed here is tried first, and set only when a person says so.
import { skills, agentNow, Elsewhere, Problem } from './api.js';
import { h, fill, button, count, plural, freshId, settled } from './dom.js';
import { attempt, problemBox } from './telling.js';
import { Sequence } from './sequence.js';
import { moved, ordered } from './order.js';

/** So many changes are told one by one. */
const TOLD = 5;

export class Meter {
  #catalog = null;
  #records = new Map();
  #tried = new Map();
  #trial = null;
  #asked = 0;

  /** `saved` is told that something was set, `open` which skill to show, `say` what to say aloud. */
  constructor({ saved, open, say }) {
    Object.assign(this, { saved, open, say });
    this.level = h('div', { class: 'ksk-level' });
    this.words = h('span', { class: 'ksk-meter-words' });
    this.inside = h('div', { class: 'ksk-meter-inside', id: freshId(), hidden: true });
    this.toggle = h('button', {
      type: 'button', class: 'ksk-meter-button', 'aria-expanded': 'false', 'aria-controls': this.inside.id,
      on: { click: () => this.#toggle() },
    },
    h('span', { class: 'ksk-meter-title' }, 'In the prompt'),
    h('span', { class: 'ksk-bar', 'aria-hidden': 'true' }, this.level),
    this.words,
    h('span', { class: 'ksk-turn', 'aria-hidden': 'true' }, '▸'));
    this.element = h('section', { class: 'ksk-meter', 'aria-label': 'Prompt budget' }, this.toggle, this.inside);
    this.how = h('p', { class: 'ksk-note', id: freshId() },
      'What comes first is in the prompt first. Drag a skill, move it with ↑ and ↓ on its handle, or type its priority: lower comes first. Nothing is set before you save it.');
    this.sequence = new Sequence({
      hint: this.how, open, moved: (name, to) => this.#move(name, to), typed: (name, priority) => this.#type(name, priority),
      told: (wrong) => fill(this.unfit, wrong && h('p', { class: 'ksk-bad', role: 'alert' }, wrong)),
    });
    this.clause = h('pre', { class: 'ksk-clause', tabIndex: 0, 'aria-label': 'The clause, exactly as the agent sees it' });
    this.foot = h('div', { class: 'ksk-meter-foot', 'aria-live': 'polite' });
    this.unfit = h('div', {});
    this.failed = h('div', {});
    this.inside.append(
      h('div', { class: 'ksk-columns' },
        h('div', {}, h('h2', {}, 'Order'), this.sequence.element),
        h('div', {}, h('h2', {}, 'Exactly what the agent sees'), this.clause)),
      this.how, this.unfit, this.failed, this.foot);
    this.trySoon = settled(() => this.#try());
  }

  /** Shows what is there now. What is tried stays tried, as far as it still means something. */
  show(catalog) {
    this.#catalog = catalog;
    this.#records = new Map(catalog.skills.filter((record) => record.enabled).map((record) => [record.name, record]));
    for (const [name, priority] of this.#tried) this.#wish(name, priority);
    this.#trial = null;
    this.#draw();
    if (this.#tried.size) this.#try();
  }

  /** Forgets what is tried. */
  forget() {
    this.#asked += 1;
    this.#tried.clear();
    this.#trial = null;
    fill(this.unfit);
    fill(this.failed);
  }

  #toggle() {
    this.inside.hidden = !this.inside.hidden;
    this.toggle.setAttribute('aria-expanded', String(!this.inside.hidden));
    this.#draw();
  }

  #wish(name, priority) {
    const now = this.#records.get(name)?.priority;
    if (now === undefined || now === priority) this.#tried.delete(name);
    else this.#tried.set(name, priority);
  }

  /** What is on, in the order that it would have. */
  #ordered() {
    return ordered([...this.#records.values()].map(({ name, priority }) => ({ name, priority: this.#tried.get(name) ?? priority })));
  }

  #draw() {
    const context = this.#trial ?? this.#catalog.context;
    const { bytes, budget, included, omitted, text } = context;
    this.level.style.width = `${budget ? Math.min(100, (100 * bytes) / budget) : 0}%`;
    this.element.dataset.tight = String(omitted.length > 0);
    this.words.textContent = `${count(bytes)} of ${count(budget)} bytes · ${plural(included.length, 'skill')}`
      + (omitted.length ? ` · ${count(omitted.length)} left out` : '');
    if (this.inside.hidden) return;
    this.clause.textContent = text || 'Nothing: no skill is enabled.';
    this.sequence.show(this.#ordered().map(({ name, priority }) => (
      { name, priority, cost: this.#records.get(name).token_cost, isTried: this.#tried.has(name) })), included.length);
    this.#drawFoot();
  }

  #type(name, priority) {
    this.#wish(name, priority);
    this.trySoon();
  }

  async #move(name, to) {
    const order = this.#ordered();
    const from = order.findIndex((each) => each.name === name);
    for (const [each, priority] of moved(order, from, to)) this.#wish(each, priority);
    this.#draw();
    this.sequence.bringIntoSight(name);
    if (from === to || !(await this.#try())) return;
    const place = this.#ordered().findIndex((each) => each.name === name) + 1;
    const { included } = this.#trial ?? this.#catalog.context;
    this.say(`${name}: ${count(place)} of ${count(order.length)}, ${included.includes(name) ? 'in the prompt' : 'left out'}. Not saved.`);
  }

  /** Asks what would fit. Whether what came of it is what is wanted now. */
  async #try() {
    const asked = (this.#asked += 1);
    try {
      const states = [...this.#tried].map(([name, priority]) => ({ name, priority }));
      const trial = states.length ? await skills.fit(states) : null;
      if (asked !== this.#asked) return false;
      this.#trial = trial;
      fill(this.unfit);
      this.#draw();
      return true;
    } catch (error) {
      if (error instanceof Elsewhere) return false;
      if (!(error instanceof Problem)) throw error;
      if (asked === this.#asked) fill(this.unfit, problemBox(error, () => this.#try()));
      return false;
    }
  }

  #drawFoot() {
    const changes = [...this.#tried];
    if (!changes.length) {
      fill(this.foot);
      return;
    }
    const told = changes.slice(0, TOLD).map(([name, priority]) => `${name} ${this.#records.get(name).priority} → ${priority}`);
    const more = changes.length - told.length;
    fill(this.foot,
      h('div', {},
        h('p', {}, `Not saved: this is what ${plural(changes.length, 'change')} would make of the prompt.`),
        h('p', { class: 'ksk-note' }, told.join(', '), more > 0 && ` and ${plural(more, 'other')}`)),
      button('Put back', () => {
        this.forget();
        this.toggle.focus();
        this.#draw();
        this.say('The order is as it was.');
      }),
      button(`Save ${plural(changes.length, 'priority', 'priorities')}`, () => this.#save(), 'primary'));
  }

  /** Sets one after the other, each as it was seen; what could not be set stays tried. */
  async #save() {
    for (const each of this.foot.querySelectorAll('button')) each.disabled = true;
    const [agent, all] = [agentNow(), this.#tried.size];
    let last = '';
    const answer = await attempt(this.failed, async () => {
      for (const [name, priority] of [...this.#tried]) {
        last = name;
        await skills.setState(name, { priority }, this.#records.get(name).etag);
        this.#tried.delete(name);
      }
      return true;
    });
    if (agentNow() !== agent) return;
    const done = all - this.#tried.size;
    this.toggle.focus();
    await this.saved(answer ? 'The order is saved.'
      : `${count(done)} of ${plural(all, 'priority', 'priorities')} saved; ${last} could not be. What is there now is shown: look at it, and save again.`);
  }
}
