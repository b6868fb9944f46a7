// The interface of the skills, through the Console's own client: it chooses the agent, and says who asks.
import API from '/js/api.js';

const BASE = '/api/procedural-skills';
const WHY = 'Console: skills panel';

const of = (name, what = '', path = undefined) =>
  `/${encodeURIComponent(name)}${what}${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`;
const job = (id) => `/install${of(id)}`;

/** What went wrong, as the server says it: `code`, `message`, `fix`, `faults`, `adaptation`. */
export class Problem extends Error {
  constructor(error) {
    const told = error?.body && typeof error.body === 'object' ? error.body : {};
    const status = error?.status ?? 0;
    super(typeof told.detail === 'string' ? told.detail : (status && error.message) || 'The server does not answer.');
    this.status = status;
    this.code = told.code ?? '';
    this.fix = told.fix ?? (status ? '' : 'see whether it still runs, then try again');
    this.faults = told.faults ?? [];
    this.adaptation = told.adaptation ?? null;
    this.isStale = status === 412;
    this.isNobodys = status === 404 && !this.code; // the host's own word: nothing of ours is mounted for that agent
  }
}

/** The feature is switched off for the agent. */
export class SwitchedOff extends Problem {
  constructor() {
    const detail = 'The skills of this agent are switched off.';
    super({ status: 404, body: { detail, fix: 'switch the feature ProceduralSkillsFeature on for it, then try again' } });
  }
}

/** Thrown away: what was asked of one agent, when another has been chosen since; and what nobody waits for any more. */
export class Elsewhere extends Error {}

/** The agent whose skills are asked for; nothing where there is but one. */
export const agentNow = () => API.getHostAgent?.() ?? null;

/** Asks the chosen agent; one that is named is asked, and answers, whichever is chosen. */
async function send(method, path, { body, seen, headers = {}, named, signal } = {}) {
  const agent = named === undefined ? agentNow() : named;
  const told = { ...headers };
  if (method !== 'GET') told[seen ? 'If-Match' : 'X-Kestrel-Request'] = seen ? `"${seen}"` : WHY;
  const options = { method, headers: told, signal };
  if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  let failed = null;
  try {
    answer = await (agent === null ? API.request(BASE + path, options) : API.requestForAgent(BASE + path, options, agent));
  } catch (error) {
    failed = new Problem(error);
  }
  if (signal?.aborted || (named === undefined && agentNow() !== agent)) throw new Elsewhere();
  if (failed) throw failed;
  return answer;
}

export const skills = {
  catalog: () => send('GET', '').catch((error) => { throw error.isNobodys ? new SwitchedOff() : error; }),
  reload: () => send('POST', '/reload'),
  tree: (name) => send('GET', of(name, '/tree')),
  file: (name, path) => send('GET', of(name, '/file', path)),
  preview: (name, path) => send('GET', of(name, '/preview', path)),
  checks: (name) => send('GET', of(name, '/checks')),
  verify: (name) => send('GET', of(name, '/verify')),
  create: (body) => send('POST', '', { body }),
  validate: (body) => send('POST', '/validate', { body }),
  fit: (states) => send('POST', '/fit', { body: { states } }),
  write: (name, path, content, seen) => send('PUT', of(name, '/file', path), { body: { content }, seen }),
  removeFile: (name, path, seen) => send('DELETE', of(name, '/file', path), { seen }),
  adapt: (name, seen) => send('POST', of(name, '/adapt'), { seen }),
  unadapt: (name, seen) => send('POST', of(name, '/unadapt'), { seen }),
  setState: (name, body, seen) => send('PATCH', of(name, '/state'), { body, seen }),
  remove: (name, seen) =>
    send('DELETE', of(name), { seen, headers: { 'X-Kestrel-Allow-Destructive': `${WHY}: its name was typed` } }),
  previewInstall: (body, signal) => send('POST', '/install/preview', { body, signal }),
  install: (body, named) => send('POST', '/install', { body, named }),
  job: (id, named) => send('GET', job(id), { named }),
  cancel: (id, named) => send('DELETE', job(id), { named }),
};
