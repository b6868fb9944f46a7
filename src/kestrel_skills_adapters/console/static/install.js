// Installing: look at exactly what would come, then take exactly that. Nothing lands that was not on screen.
import { skills, agentNow, Problem } from './api.js';
import { h, fill, button, field, count, plural } from './dom.js';
import { ask, actions } from './dialogs.js';
import { trying, problemBox, findings, adaptationList } from './telling.js';

const PAUSE = 400;
const CANCELLED = 'Cancelled: nothing was installed.';

/** Resolves to what is to be said, and what has the name then, where something was installed. For `late` see `ask`. */
export function installSkill(late) {
  const agent = agentNow();
  const tell = (said) => agentNow() === agent && late(said);
  const leaving = new AbortController();
  return ask('Install from git', (done, submit, dialog) => {
    const stage = h('div', {});
    const url = h('input', { type: 'url', required: true, placeholder: 'https://…', autocomplete: 'off' });
    const name = h('input', { type: 'text', autocomplete: 'off', spellcheck: false });
    const ref = h('input', { type: 'text', value: 'HEAD', autocomplete: 'off', spellcheck: false });
    const adapt = h('input', { type: 'checkbox' });
    const said = h('div', { 'aria-live': 'polite' });
    const asked = () => ({
      source_url: url.value.trim(), skill_name: name.value.trim(), ref: ref.value.trim() || 'HEAD', adapt: adapt.checked,
    });
    dialog.addEventListener('close', () => leaving.abort());

    const form = () => {
      const look = h('button', { class: 'btn btn-primary' }, 'Preview');
      const show = async () => {
        const request = asked();
        look.textContent = 'Looking…';
        try {
          const found = await skills.previewInstall(request, leaving.signal);
          if (found.skills) stock(found);
          else preview(found, { ...request, skill_name: request.skill_name || found.name, digest: found.digest });
        } finally {
          look.textContent = 'Preview';
        }
      };
      const send = (event) => {
        event.preventDefault();
        submit(look, said, show);
      };
      fill(stage, h('form', { on: { submit: send } },
        field('Repository', url, 'A public git repository, by its https address.').box,
        field('Skill', name, 'Its name or folder; left empty, everything in the repository is listed.').box,
        field('Branch, tag or commit', ref).box,
        h('label', { class: 'ksk-check' }, adapt, ' Adapt it where it is written for another program'),
        said,
        actions(button('Cancel', () => done(null)), look)));
      url.focus();
    };

    const stock = (found) => {
      const pick = (each) => {
        name.value = each.folder === '.' ? each.name : each.folder;
        adapt.checked = adapt.checked || each.needs === 'adapting';
        form();
        stage.querySelector('form').requestSubmit();
      };
      fill(stage,
        h('p', {}, `${plural(found.skills.length, 'skill')} at commit `, h('code', { class: 'ksk-hash' }, found.commit)),
        h('ul', { class: 'ksk-plain ksk-stock' }, found.skills.map((each) => h('li', {},
          h('button', { type: 'button', class: 'ksk-link', on: { click: () => pick(each) } }, each.name),
          h('div', { class: 'ksk-note' }, each.description || each.folder)))),
        actions(button('Back', form)));
      stage.querySelector('button')?.focus();
    };

    const preview = (found, request) => {
      const go = button('Install exactly this', () => submit(go, said, () => install(found, request, go)), 'primary');
      const row = (label, value) => value && [h('dt', {}, label), h('dd', {}, value)];
      const { provenance: from } = found;
      const size = found.files.reduce((sum, each) => sum + each.bytes, 0);
      fill(stage,
        h('p', {}, h('strong', {}, found.name), ' ', found.description),
        h('dl', { class: 'ksk-facts' },
          row('From', from.url), row('Commit', from.commit), row('Digest', found.digest),
          row('Files', `${count(found.files.length)}, ${plural(size, 'byte')}`)),
        h('ul', { class: 'ksk-plain ksk-file-list', tabIndex: 0, 'aria-label': 'Files' }, found.files.map((each) =>
          h('li', {}, h('code', {}, each.path), each.executable && h('strong', {}, ' executable'),
            h('span', { class: 'ksk-number' }, count(each.bytes))))),
        found.left_out.length > 0 && h('p', {}, `Left out: ${found.left_out.join(', ')}`),
        found.adaptation && [h('h3', {}, found.digest ? 'Adapted' : 'Adapting would'), adaptationList(found.adaptation)],
        found.findings.length > 0 && [h('h3', {}, 'Checks'), findings(found.findings)],
        found.taken && h('p', { class: 'ksk-bad' }, `The agent’s own folder has ${found.taken.name} already: delete that first.`),
        found.then && found.then.name && h('p', { class: 'ksk-note' }, `Under this name the agent will see ${
          found.then.provenance ? 'this one' : `the one of ${found.then.source}`}.`),
        found.problems.map((each) => h('p', { class: 'ksk-note' }, `${each.message}: ${each.fix}`)),
        said,
        actions(button('Back', form), found.digest && !found.taken
          ? go
          : !found.digest && found.adaptation && button('Preview adapted', () => {
            adapt.checked = true;
            form();
            stage.querySelector('form').requestSubmit();
          }, 'primary')));
      stage.querySelector('.ksk-actions .btn-primary')?.focus();
    };

    const install = async (found, request, go) => {
      let ended;
      try {
        ended = await follow(found, request, go);
      } finally {
        form();
      }
      if (ended.state === 'done') {
        const { found: came, then } = ended.installed;
        return { said: `${came.name} is installed. It is disabled until you enable it.`, found: then ?? came };
      }
      if (ended.problem) throw new Problem({ status: ended.problem.status, body: ended.problem });
      if (dialog.open) fill(said, h('p', {}, CANCELLED));
      else tell(CANCELLED);
      return null;
    };

    // Whoever leaves the dialog cancels: also while the server has not yet said what it has begun.
    const follow = async (found, request, go) => {
      let isStopped = false;
      let wake = () => {};
      const stop = () => {
        isStopped = true;
        wake();
      };
      dialog.addEventListener('close', stop);
      const words = h('p', { role: 'status' });
      fill(stage, h('p', {}, `Installing ${found.name}`), h('progress', { 'aria-label': 'Received' }), words, said,
        actions(button('Cancel', stop), go)); // one click after another on the same place does not cancel
      stage.querySelector('.ksk-actions button').focus();
      let state = await skills.install(request, agent);
      while (state.state === 'running') {
        words.textContent = `${plural(state.received, 'byte')} received, ${plural(state.entries, 'entry', 'entries')}`;
        if (!isStopped) await new Promise((resolve) => { setTimeout(wake = resolve, PAUSE); });
        const { job } = state;
        const next = await trying(() => (isStopped ? skills.cancel : skills.job)(job, agent), (problem) => {
          if (problem.status || !dialog.open) throw problem; // only where nobody answered is it asked again
          isStopped = false;
          fill(said, problemBox(problem));
        });
        if (next) fill(said);
        state = next ?? state;
      }
      return state;
    };

    form();
    return [stage];
  }, { wide: true, late: tell });
}
