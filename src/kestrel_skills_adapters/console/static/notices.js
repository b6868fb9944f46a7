// What a person should know before anything else: why skills are not there, what the feature has to say, what is unsaved.
import { h, fill, button } from './dom.js';
import { problemBox } from './telling.js';

const READ = 'kestrel-skills-notes-read';

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function notice(title, text, fix, ...more) {
  return h('div', { class: 'ksk-banner' }, title && h('strong', {}, title), h('p', {}, sentence(text)),
    fix && h('p', { class: 'ksk-note' }, `What helps: ${fix}.`), more);
}

function hindrances(catalog) {
  if (catalog.hidden) {
    return [notice('Skills are hidden', `${catalog.hidden.message}. In this privacy mode the agent neither sees its skills nor has them in its prompt; nothing is deleted, and they are back when the mode ends.`, catalog.hidden.fix)];
  }
  const told = catalog.problems.map((problem) => notice('Some skills are not there', problem.message, problem.fix));
  if (catalog.enablement_available) return told;
  const error = catalog.enablement_error;
  return [notice('Which skills are enabled cannot be told', `${error?.message ?? 'The table of states does not answer'}. Until it can, none is in the prompt. Everything can still be read, written and checked.`, error?.fix), ...told];
}

/** The notes that were read in this session; kept for no longer, so that each is seen again. */
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(READ)) ?? [];
  } catch {
    return [];
  }
}

export class Notices {
  /** `resume` takes up an unsaved text again; `drop` throws it away. */
  constructor({ resume, drop }) {
    Object.assign(this, { resume, drop });
    this.failed = h('div', {});
    this.found = h('div', {});
    this.unsaved = h('div', {});
    this.element = h('div', { class: 'ksk-notices' }, this.failed, this.found, this.unsaved);
  }

  show(catalog) {
    fill(this.failed);
    const notes = (catalog.notes ?? []).filter((text) => !read().includes(text));
    fill(this.found, hindrances(catalog), notes.map((text) => this.#note(text)));
  }

  /** The last look failed. */
  fail(problem, again) {
    fill(this.failed, problemBox(problem, again));
  }

  /** The texts that were written and not saved, but for the one that is open. */
  showDrafts(drafts) {
    fill(this.unsaved, drafts.map((draft) => h('div', { class: 'ksk-banner ksk-aside' },
      h('p', {}, h('strong', {}, 'Not saved'), ` ${draft.path} of ${draft.name}`),
      button('Go on writing', () => this.resume(draft)), button('Throw it away', () => this.drop(draft)))));
  }

  clear() {
    for (const part of [this.failed, this.found, this.unsaved]) fill(part);
  }

  #note(text) {
    const shown = notice('', text, '', button('Dismiss', () => {
      try {
        sessionStorage.setItem(READ, JSON.stringify([...read(), text]));
      } catch {
        // It is full, and the note comes back.
      }
      shown.remove();
    }));
    shown.classList.add('ksk-aside');
    return shown;
  }
}
