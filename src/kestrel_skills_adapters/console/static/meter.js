// What of the prompt's budget is used, and by what: the clause as the agent sees it, its order, and what was left out.
// A priority typed here is tried first, and set only when a person says so.
import { skills, Elsewhere } from './api.js';
import { h, fill, button, count, plural, freshId, settled } from './dom.js';
import { problemBox } from './dialogs.js';
import { PRIORITIES } from './state.js';

const SHOWN = 200;

export class Meter {
  #catalog = null;
  #tried = new Map();
  #trial = null;
  #asked = 0;

  constructor({ saved, open }) {
    this.saved = saved;
    this.open = open;
    this.level = h('div', { class: 'ksk-level' });
    this.words = h('span', { class: 'ksk-meter-words' });
    this.inside = h('div', { class: 'ksk-meter-inside', id: freshId(), hidden: true });
    this.toggle = h(
      'button',
      {
        type: 'button', class: 'ksk-meter-button', 'aria-expanded': 'false', 'aria-controls': this.inside.id,
        on: { click: () => this.#toggle() },
      },
      h('span', { class: 'ksk-meter-title' }, 'In the prompt'),
      h('span', { class: 'ksk-bar', 'aria-hidden': 'true' }, this.level),
      this.words,
      h('span', { class: 'ksk-turn', 'aria-hidden': 'true' }, '▸'),
    );
    this.element = h('section', { class: 'ksk-meter', 'aria-label': 'Prompt budget' }, this.toggle, this.inside);
    this.order = h('div', { class: 'ksk-order' });
    this.clause = h('pre', { class: 'ksk-clause', tabIndex: 0, 'aria-label': 'The clause, exactly as the agent sees it' });
    this.foot = h('div', { class: 'ksk-meter-foot', 'aria-live': 'polite' });
    this.inside.append(
      h('div', { class: 'ksk-columns' },
        h('div', {}, h('h2', {}, 'Order'), this.order),
        h('div', {}, h('h2', {}, 'Exactly what the agent sees'), this.clause)),
      this.foot,
    );
    this.tryOut = settled(() => this.#try());
  }

  show(catalog) {
    this.#catalog = catalog;
    this.#tried.clear();
    this.#trial = null;
    this.#paint();
    if (!this.inside.hidden) this.#fill();
  }

  #toggle() {
    this.inside.hidden = !this.inside.hidden;
    this.toggle.setAttribute('aria-expanded', String(!this.inside.hidden));
    if (!this.inside.hidden) this.#fill();
  }

  #paint() {
    const context = this.#trial ?? this.#catalog.context;
    const { bytes, budget, included, omitted } = context;
    this.level.style.width = `${budget ? Math.min(100, (100 * bytes) / budget) : 0}%`;
    this.element.dataset.tight = String(omitted.length > 0);
    this.words.textContent =
      `${count(bytes)} of ${count(budget)} bytes · ${plural(included.length, 'skill')}` +
      (omitted.length ? ` · ${count(omitted.length)} left out` : '');
    this.clause.textContent = context.text || 'Nothing: no skill is enabled.';
  }

  #fill() {
    const context = this.#trial ?? this.#catalog.context;
    const records = new Map(this.#catalog.skills.map((record) => [record.name, record]));
    const focused = document.activeElement?.dataset?.priorityOf;
    const row = (name, at) => {
      const record = records.get(name);
      const input = h('input', {
        type: 'number', ...PRIORITIES, class: 'ksk-number', 'aria-label': `Priority of ${name}`,
        value: String(this.#tried.get(name) ?? record?.priority ?? ''), data: { priorityOf: name },
        on: { input: (event) => this.#type(name, record, event.target) },
      });
      return h('li', {},
        h('span', { class: 'ksk-number ksk-rank' }, at),
        h('button', { type: 'button', class: 'ksk-link', on: { click: () => this.open(name) } }, name),
        input);
    };
    const out = context.omitted.slice(0, SHOWN);
    const more = context.omitted.length - out.length;
    fill(this.order,
      h('ol', { class: 'ksk-plain' }, context.included.map((name, at) => row(name, String(at + 1)))),
      ...(out.length
        ? [h('h2', {}, `Left out: ${count(context.omitted.length)}`),
          h('ul', { class: 'ksk-plain' }, out.map((name) => row(name, '–'))),
          ...(more > 0 ? [h('p', { class: 'ksk-note' }, `and ${count(more)} more`)] : [])]
        : []),
    );
    this.#paint();
    this.#say();
    if (focused) this.order.querySelector(`[data-priority-of="${CSS.escape(focused)}"]`)?.focus();
  }

  #type(name, record, input) {
    if (!input.checkValidity() || input.value === '') return;
    const priority = Number(input.value);
    if (priority === record.priority) this.#tried.delete(name);
    else this.#tried.set(name, priority);
    this.tryOut();
  }

  async #try() {
    const asked = (this.#asked += 1);
    try {
      const states = [...this.#tried].map(([name, priority]) => ({ name, priority }));
      const trial = states.length ? await skills.fit(states) : null;
      if (asked !== this.#asked) return;
      this.#trial = trial;
      this.#fill();
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.foot, problemBox(error));
    }
  }

  #say() {
    const changes = this.#tried.size;
    if (!changes) {
      fill(this.foot, h('p', { class: 'ksk-note' },
        'Lower numbers come first. A number typed here shows what would fit before anything is saved.'));
      return;
    }
    fill(this.foot,
      h('span', {}, `Not saved: this is what ${plural(changes, 'change')} would make of the prompt.`),
      button('Put back', () => this.show(this.#catalog)),
      button(`Save ${plural(changes, 'priority', 'priorities')}`, () => this.#save(), 'primary'),
    );
  }

  async #save() {
    const records = new Map(this.#catalog.skills.map((record) => [record.name, record]));
    try {
      for (const [name, priority] of this.#tried) await skills.setState(name, { priority }, records.get(name).etag);
    } catch (error) {
      if (!(error instanceof Elsewhere)) fill(this.foot, problemBox(error));
      return;
    }
    this.toggle.focus();
    await this.saved('The order is saved.');
  }
}
