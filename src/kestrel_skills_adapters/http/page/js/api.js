// The Console's client, as far as a panel uses it, for the one agent that is served. Every call carries the token.
const KEY = 'kestrel-skills-token';

function handed() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return given || sessionStorage.getItem(KEY) || '';
}

const token = handed();

export class ApiError extends Error {
  constructor({ status, body = null, code = null, message = '', details = [] }) {
    super(message || `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.code = code;
    this.details = details;
    this.correlationId = null;
  }
}

export async function parseResponseError(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // What answered was not this program.
  }
  return new ApiError({ status: response.status, body, code: body?.code ?? null, message: body?.detail ?? '' });
}

async function request(endpoint, options = {}) {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  for (const [name, value] of new Headers(options.headers)) headers.set(name, value);
  headers.set('Authorization', `Bearer ${token}`);
  const response = await fetch(endpoint, { ...options, headers, credentials: 'omit' });
  if (!response.ok) throw await parseResponseError(response);
  return response.json();
}

const API = {
  init: async () => {},
  hasToken: () => token !== '',
  request,
  requestForAgent: (endpoint, options = {}) => request(endpoint, options),
  getHostAgent: () => null,
  setHostAgent: () => {},
  onHostAgentChange: () => () => {},
  hasCapability: () => true,
};

export default API;
