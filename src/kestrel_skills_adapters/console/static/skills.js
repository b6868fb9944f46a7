// What the Console loads: it registers the panel, and has it look again when there may be something new to see.
import API from '/js/api.js';
import bus from '/js/ui-ext/bus.js';
import { registerPanel } from '/js/ui-ext/panels.js';
import { Panel } from './panel.js';

const PANEL = 'procedural-skills';
const PAUSE = 1000;

let panel = null;
let looked = 0;

function look() {
  if (!panel?.element.isConnected || panel.element.offsetParent === null) return;
  if (Date.now() - looked < PAUSE) return;
  looked = Date.now();
  panel.look();
}

function another() {
  if (!panel) return;
  panel.forget();
  looked = 0;
  look();
}

registerPanel({
  panelId: PANEL,
  label: 'Skills',
  icon: 'ki ki-clipboard',
  before: 'features',
  render(body) {
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
bus.on('agent:switch', another);
API.onHostAgentChange?.(another);
window.addEventListener('focus', look);
