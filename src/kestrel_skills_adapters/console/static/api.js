// The interface of the skills, through the Console's own client: it chooses the agent, and says who asks.
import API from '/js/api.js';

const BASE = '/api/procedural-skills';
const WHY = 'Console: skills panel';

const tail = (name, what, path) =>
  `/${encodeURIComponent(name)}${what}${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`;

/** What went wrong, as the server says it: `code`, `message`, `fix`, `faults`, `found`. */
export class Problem extends Error {
  constructor(error) {
    const told = error?.body && typeof error.body === 'object' ? error.body : {};
    super(typeof told.detail === 'string' ? told.detail : error?.message || 'The server does not answer.');
    this.status = error?.status ?? 0;
    this.code = told.code ?? '';
    this.fix = told.fix ?? (this.status ? '' : 'see whether it still runs, then try again');
    this.faults = told.faults ?? [];
    this.found = told.found ?? null;
    this.isStale = this.status === 412;
  }
}

/** Thrown away: what was asked of one agent, when another has been chosen since. */
export class Elsewhere extends Error {}

async function send(method, path, { body, seen, headers = {} } = {}) {
  const agent = API.getHostAgent?.() ?? null;
  const told = { ...headers };
  if (method !== 'GET') told[seen ? 'If-Match' : 'X-Kestrel-Request'] = seen ? `"${seen}"` : WHY;
  const options = { method, headers: told };
  if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  let failed = null;
  try {
    answer = await (agent === null ? API.request(BASE + path, options) : API.requestForAgent(BASE + path, options, agent));
  } catch (error) {
    failed = new Problem(error);
  }
  if ((API.getHostAgent?.() ?? null) !== agent) throw new Elsewhere();
  if (failed) throw failed;
  return answer;
}

export const skills = {
  catalog: () => send('GET', ''),
  reload: () => send('POST', '/reload'),
  tree: (name) => send('GET', tail(name, '/tree')),
  file: (name, path) => send('GET', tail(name, '/file', path)),
  preview: (name, path) => send('GET', tail(name, '/preview', path)),
  checks: (name) => send('GET', tail(name, '/checks')),
  verify: (name) => send('GET', tail(name, '/verify')),
  create: (body) => send('POST', '', { body }),
  validate: (body) => send('POST', '/validate', { body }),
  fit: (states) => send('POST', '/fit', { body: { states } }),
  write: (name, path, content, seen) => send('PUT', tail(name, '/file', path), { body: { content }, seen }),
  removeFile: (name, path, seen) => send('DELETE', tail(name, '/file', path), { seen }),
  adapt: (name, seen) => send('POST', tail(name, '/adapt'), { seen }),
  unadapt: (name, seen) => send('POST', tail(name, '/unadapt'), { seen }),
  setState: (name, body, seen) => send('PATCH', tail(name, '/state'), { body, seen }),
  remove: (name, seen) =>
    send('DELETE', tail(name, ''), { seen, headers: { 'X-Kestrel-Allow-Destructive': `${WHY}: its name was typed` } }),
  previewInstall: (body) => send('POST', '/install/preview', { body }),
  install: (body) => send('POST', '/install', { body }),
  job: (id) => send('GET', tail(id, '').replace('/', '/install/')),
  cancel: (id) => send('DELETE', tail(id, '').replace('/', '/install/')),
};
