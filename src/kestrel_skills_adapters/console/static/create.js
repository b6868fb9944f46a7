// A new skill: judged while it is typed by the very rules that will judge it when it is made.
import { skills } from './api.js';
import { h, button, field, settled } from './dom.js';
import { ask, actions } from './dialogs.js';
import { attempt } from './telling.js';

const BODY = '# Procedure\n\n1. \n\n# Done when\n\n- \n';

/** Resolves to the answer of the server where one was made. */
export function createSkill() {
  return ask('New skill', (done) => {
    const name = h('input', { type: 'text', autocomplete: 'off', spellcheck: false, required: true });
    const description = h('textarea', { rows: 3, required: true });
    const body = h('textarea', { rows: 9, class: 'ksk-mono', spellcheck: false, value: BODY });
    const enabled = h('input', { type: 'checkbox' });
    const fields = {
      name: field('Name', name, 'Lower-case words with hyphens, such as review-a-diff.'),
      description: field('Description', description, 'When should the agent use it? This line is what it sees.'),
    };
    const hints = { name: fields.name.note.textContent, description: fields.description.note.textContent };
    const said = h('div', { 'aria-live': 'polite' });
    const make = h('button', { class: 'btn btn-primary', disabled: true }, 'Create');
    let asked = 0;

    const tell = (part, control, found, more = '') => {
      const text = more || found.map((each) => `${each.message}; ${each.fix}`).join('. ');
      const isBad = Boolean(more) || found.some((each) => each.severity === 'error');
      fields[part].note.textContent = control.value && text ? text : hints[part];
      fields[part].note.classList.toggle('ksk-bad', Boolean(control.value) && isBad);
      control.setAttribute('aria-invalid', String(Boolean(control.value) && isBad));
      return isBad;
    };
    const judge = () => attempt(said, async () => {
      const mine = (asked += 1);
      const judged = await skills.validate({ name: name.value, description: description.value });
      if (mine !== asked) return;
      const taken = judged.taken ? 'The agent’s own folder has one of this name already.' : '';
      const bad = [tell('name', name, judged.name, taken), tell('description', description, judged.description)];
      make.disabled = bad.includes(true);
    }, judge);
    const judgeSoon = settled(judge);
    const typed = () => {
      asked += 1;
      make.disabled = true;
      judgeSoon();
    };
    name.addEventListener('input', typed);
    description.addEventListener('input', typed);

    const submit = async (event) => {
      event.preventDefault();
      if (make.disabled) return;
      make.disabled = true;
      const made = await attempt(said, () => skills.create({
        name: name.value, description: description.value, body: body.value, enabled: enabled.checked,
      }));
      make.disabled = false;
      if (made) done(made);
    };
    return [h('form', { on: { submit } },
      fields.name.box, fields.description.box, field('Procedure', body).box,
      h('label', { class: 'ksk-check' }, enabled, ' Enable it at once'),
      said,
      actions(button('Cancel', () => done(null)), make))];
  });
}
