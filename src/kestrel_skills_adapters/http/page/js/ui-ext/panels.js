// The Console's register of panels. Here the first one is shown, and stays.
import bus from './bus.js';

const panels = new Map();

export function registerPanel(panel) {
  panels.set(panel.panelId, panel);
}

export function unregisterPanel(panelId) {
  panels.delete(panelId);
  document.getElementById(`panel-${panelId}`)?.remove();
}

export function registered() {
  return [...panels.values()];
}

export function show(panel, host, context) {
  const body = document.createElement('section');
  body.id = `panel-${panel.panelId}`;
  body.className = 'panel active';
  body.setAttribute('aria-label', panel.label ?? 'Skills');
  host.append(body);
  panel.render(body, context);
  bus.emit('panel:shown', { panelId: panel.panelId });

  const key = `kestrel-skills-view:${panel.viewState?.key ?? panel.panelId}`;
  const kept = panel.viewState && sessionStorage.getItem(key);
  if (kept) panel.viewState.setState(JSON.parse(kept));
  window.addEventListener('pagehide', () => {
    if (panel.viewState) sessionStorage.setItem(key, JSON.stringify(panel.viewState.getState()));
  });
}

export default { registerPanel, unregisterPanel };
