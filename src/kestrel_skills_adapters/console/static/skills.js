// What the Console loads: it registers the panel, and has it look again when there may be something new to see.
import API from '/js/api.js';
import bus from '/js/ui-ext/bus.js';
import { registerPanel } from '/js/ui-ext/panels.js';
import { Panel } from './panel.js';

const PANEL = 'procedural-skills';
const PAUSE = 1000;

let panel = null;
let looked = 0;

const isShown = () => Boolean(panel?.element.isConnected) && panel.element.offsetParent !== null;

function look() {
  if (!isShown()) return;
  if (Date.now() - looked < PAUSE) return;
  looked = Date.now();
  panel.look();
}

/** The Console asks nobody before it turns to another agent: what is unsaved is kept for when a person comes back. */
function turn() {
  panel?.turn();
  looked = 0;
  look();
}

registerPanel({
  panelId: PANEL,
  label: 'Skills',
  icon: 'ki ki-clipboard',
  before: 'features',
  render(body) {
    panel?.keep();
    panel = new Panel();
    body.replaceChildren(panel.element);
    looked = Date.now();
    panel.look();
  },
  viewState: {
    key: 'view',
    getState: () => panel?.view ?? null,
    setState: (kept) => {
      if (panel && kept) panel.view = kept;
    },
  },
});

bus.on('panel:shown', (shown) => shown?.panelId === PANEL && look());
bus.on('panel:hidden', (hidden) => hidden?.panelId === PANEL && panel?.keep());
bus.on('agent:switch', turn);
API.onHostAgentChange?.(turn);
window.addEventListener('focus', look);
document.addEventListener('keydown', (event) => isShown() && panel.key(event));
window.addEventListener('pagehide', () => panel?.keep());
window.addEventListener('beforeunload', (event) => {
  if (panel?.isDirty) event.preventDefault();
});
