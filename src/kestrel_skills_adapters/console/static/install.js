// Installing: look at exactly what would come, then take exactly that. Nothing lands that was not on screen.
import { skills, agentNow } from './api.js';
import { h, fill, button, field, count, plural } from './dom.js';
import { ask, actions } from './dialogs.js';
import { attempt, problemBox, findings, adaptationList } from './telling.js';

const PAUSE = 400;

/** Resolves to what was installed, or null. */
export function installSkill() {
  const agent = agentNow();
  let job = null;
  return ask('Install from git', (done, dialog) => {
    const stage = h('div', {});
    const url = h('input', { type: 'url', required: true, placeholder: 'https://…', autocomplete: 'off' });
    const name = h('input', { type: 'text', autocomplete: 'off', spellcheck: false });
    const ref = h('input', { type: 'text', value: 'HEAD', autocomplete: 'off', spellcheck: false });
    const adapt = h('input', { type: 'checkbox' });
    const said = h('div', { 'aria-live': 'polite' });
    const asked = () => ({
      source_url: url.value.trim(), skill_name: name.value.trim(), ref: ref.value.trim() || 'HEAD', adapt: adapt.checked,
    });
    dialog.addEventListener('close', () => {
      if (job) skills.cancel(job, agent).catch(() => {});
    });

    const form = () => {
      const look = h('button', { class: 'btn btn-primary' }, 'Preview');
      const submit = async (event) => {
        event.preventDefault();
        look.disabled = true;
        look.textContent = 'Looking…';
        await attempt(said, async () => {
          const found = await skills.previewInstall(asked());
          if (found.skills) stock(found);
          else preview(found);
        });
        look.disabled = false;
        look.textContent = 'Preview';
      };
      fill(stage, h('form', { on: { submit } },
        field('Repository', url, 'A public git repository, by its https address.').box,
        field('Skill', name, 'Its name or folder; left empty, everything in the repository is listed.').box,
        field('Branch, tag or commit', ref).box,
        h('label', { class: 'ksk-check' }, adapt, ' Adapt it where it is written for another program'),
        said,
        actions(button('Cancel', () => done(null)), look)));
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

    const preview = (found) => {
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
          ? button('Install exactly this', () => begin(found), 'primary')
          : !found.digest && found.adaptation && button('Preview adapted', () => {
            adapt.checked = true;
            form();
            stage.querySelector('form').requestSubmit();
          }, 'primary')));
      stage.querySelector('.ksk-actions .btn-primary')?.focus();
    };

    const begin = async (found) => {
      const ended = await attempt(said, async () => follow(found, await skills.install({
        ...asked(), skill_name: asked().skill_name || found.name, digest: found.digest,
      })));
      job = null;
      if (ended?.state === 'done') {
        done(ended.installed);
        return;
      }
      form();
      if (!ended) return;
      fill(said, ended.problem
        ? problemBox({ ...ended.problem, message: ended.problem.detail })
        : h('p', {}, 'Cancelled: nothing was installed.'));
    };

    const follow = async (found, begun) => {
      let state = begun;
      job = state.job;
      const words = h('p', { role: 'status' });
      fill(stage, h('p', {}, `Installing ${found.name}`), h('progress', { 'aria-label': 'Received' }), words, said,
        actions(button('Cancel', async () => {
          state = await skills.cancel(job, agent);
        })));
      stage.querySelector('.ksk-actions button').focus();
      while (state.state === 'running') {
        words.textContent = `${plural(state.received, 'byte')} received, ${plural(state.entries, 'entry', 'entries')}`;
        await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
        if (state.state === 'running') state = await skills.job(job);
      }
      return state;
    };

    form();
    return [stage];
  }, { wide: true });
}
