// A new skill: judged while it is typed by the very rules that will judge it when it is made.
import { skills } from './api.js';
import { h, button, field, settled } from './dom.js';
import { ask, actions, confirm } from './dialogs.js';
import { attempt } from './telling.js';

const BODY = '# Procedure\n\n1. \n\n# Done when\n\n- \n';

/** Resolves to what is to be said, and what was found, where one was made. For `late` see `ask`. */
export function createSkill(late) {
  const name = h('input', { type: 'text', autocomplete: 'off', spellcheck: false, required: true });
  const description = h('textarea', { rows: 3, required: true });
  const body = h('textarea', { rows: 9, class: 'ksk-mono', spellcheck: false, value: BODY });
  const mayLeave = async () => {
    if (!name.value && !description.value && body.value === BODY) return true;
    return confirm('New skill', 'What you wrote for it is kept nowhere.', 'Throw it away', { kind: 'danger', no: 'Go on writing' });
  };
  return ask('New skill', (done, submit) => {
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

    const create = async () => {
      const { found } = await skills.create({
        name: name.value, description: description.value, body: body.value, enabled: enabled.checked,
      });
      return { said: `${found.name} is made. ${found.enabled ? 'It is enabled.' : 'It is disabled until you enable it.'}`, found };
    };
    const send = (event) => {
      event.preventDefault();
      if (!make.disabled) submit(make, said, create);
    };
    const cancel = async () => (await mayLeave()) && done(null);
    return [h('form', { on: { submit: send } },
      fields.name.box, fields.description.box, field('Procedure', body).box,
      h('label', { class: 'ksk-check' }, enabled, ' Enable it at once'),
      said,
      actions(button('Cancel', cancel), make))];
  }, { mayLeave, late });
}
