// The state of a skill, as far as a person may change it: on or off, its priority, its pin.
import { skills, agentNow, Elsewhere, Problem } from './api.js';
import { h, fill, button, count, freshId, settled } from './dom.js';
import { problemBox } from './telling.js';
import { whyNot } from './state.js';
import { priorityField } from './priority.js';

const keyOf = (entry) => JSON.stringify([agentNow(), entry.key]);

export class Controls {
  #entry = null;
  #asked = 0;
  /** Of each skill whose state is being set: the state it shall have, the part of that to ask for yet, and what to say. */
  #wishes = new Map();

  /** `changed` is told of each change; `remove` of the wish to delete. */
  constructor({ changed, remove }) {
    this.changed = changed;
    this.mayState = true;
    this.label = h('span', {});
    this.on = h('button', {
      type: 'button', class: 'btn btn-secondary ksk-switch', role: 'switch', on: { click: () => this.#turn() },
    }, h('span', { class: 'ksk-knob', 'aria-hidden': 'true' }), this.label);
    this.fit = h('p', { class: 'ksk-note ksk-fit', id: freshId(), role: 'status', hidden: true });
    this.priority = priorityField({ 'aria-describedby': this.fit.id }, {
      typed: (priority) => this.tryOut(priority, this.#asked),
      left: (priority) => this.#leave(priority),
      told: (wrong) => this.#tell(wrong),
    });
    this.pin = h('input', { type: 'checkbox', on: { change: () => this.#pin() } });
    this.state = h('div', { class: 'ksk-parts' }, this.on,
      h('label', { class: 'ksk-check' }, 'Priority ', this.priority.field),
      h('label', { class: 'ksk-check', title: 'Enabled only as long as no file of it changes' }, this.pin, ' Pin'));
    this.why = h('span', { class: 'ksk-note' });
    this.gone = button('Delete…', () => remove(this.#entry));
    this.element = h('div', { class: 'ksk-state' }, this.state, this.why, this.gone);
    this.failed = h('div', {});
    this.tryOut = settled((priority, asked) => asked === this.#asked && this.#try(priority));
  }

  /** Shows nothing; what is typed and not set goes nowhere. */
  clear() {
    this.#entry = null;
    this.#asked += 1;
  }

  /** Shows the state of an entry. The parts stay, so that a press on one is not lost, nor the focus. */
  show(entry) {
    const { record, kind } = entry;
    const isOther = entry.key !== this.#entry?.key;
    this.#entry = entry;
    const { field } = this.priority;
    const isTyped = !isOther && document.activeElement === field && field.value !== String(record.priority);
    if (!isTyped) this.#tell('');
    fill(this.failed);
    this.state.hidden = kind !== 'skill';
    this.why.textContent = kind === 'copy' ? whyNot(entry) : '';
    this.gone.hidden = kind === 'copy' || !record.delete_revision;
    if (kind !== 'skill') return;
    this.on.disabled = field.disabled = !this.mayState;
    this.pin.disabled = !this.mayState || !record.enabled;
    this.pin.checked = Boolean(record.pin);
    this.on.setAttribute('aria-label', `Enabled: ${entry.name}`);
    this.priority.show(record.priority, { isTyped });
    this.#switched(this.#wishes.get(keyOf(entry))?.enabled ?? record.enabled);
  }

  get #isOn() { return this.on.getAttribute('aria-checked') === 'true'; }

  #switched(isOn) {
    this.on.setAttribute('aria-checked', String(isOn));
    this.label.textContent = isOn ? 'Enabled' : 'Disabled';
  }

  #turn() {
    const enabled = !this.#isOn;
    this.#switched(enabled);
    this.#set(this.#entry, { enabled }, enabled ? 'is enabled' : 'is disabled');
  }

  #pin() {
    const { checked } = this.pin;
    const pin = checked ? this.#entry.record.revision : null;
    this.#set(this.#entry, { pin }, checked ? 'is pinned to this revision' : 'is no longer pinned');
  }

  /** Says below the head what is typed would come to, or that it is no priority. */
  #tell(text) {
    this.#asked += 1;
    this.fit.textContent = text;
    this.fit.hidden = !text;
  }

  #leave(priority) {
    const entry = this.#entry;
    if (entry && priority !== entry.record.priority) this.#set(entry, { priority }, `has priority ${priority}`);
  }

  async #try(priority) {
    const entry = this.#entry;
    const asked = (this.#asked += 1);
    const isWanted = () => asked === this.#asked;
    try {
      const context = await skills.fit([{ name: entry.name, priority }]);
      if (!isWanted()) return;
      const at = context.included.indexOf(entry.name);
      const place = at >= 0
        ? `in the prompt, ${count(at + 1)} of ${count(context.included.length)}`
        : entry.record.enabled ? 'left out of the prompt' : 'not in the prompt, as it is disabled';
      this.#tell(`With ${count(priority)}: ${place}. ${count(context.bytes)} of ${count(context.budget)} bytes, ${count(context.omitted.length)} left out.`);
    } catch (error) {
      if (error instanceof Elsewhere) return;
      if (!(error instanceof Problem)) throw error;
      if (isWanted()) fill(this.failed, problemBox(error));
    }
  }

  /** Sets one part after the other: what is wished while a change is under way follows it, on what came of that. */
  async #set(entry, body, said) {
    const key = keyOf(entry);
    const waiting = this.#wishes.get(key);
    if (waiting) {
      Object.assign(waiting, { body: { ...waiting.body, ...body }, said }, body);
      return;
    }
    const wish = { ...body, body, said };
    this.#wishes.set(key, wish);
    try {
      let { etag } = entry.record;
      while (Object.keys(wish.body).length > 0) {
        const asked = wish.body;
        wish.body = {};
        const { found } = await skills.setState(entry.address, asked, etag);
        ({ etag } = found);
        if (Object.keys(wish.body).length === 0) await this.changed(`${entry.name} ${wish.said}.`, found, entry);
      }
      this.#wishes.delete(key);
    } catch (error) {
      this.#wishes.delete(key);
      if (error instanceof Elsewhere) return;
      if (!(error instanceof Problem)) throw error;
      await this.changed(error.isStale ? `${entry.name} was changed meanwhile. This is how it is now; nothing was set.` : '', null, entry);
      if (this.#entry?.key !== entry.key) return;
      this.show(this.#entry);
      fill(this.failed, problemBox(error));
    }
  }
}
