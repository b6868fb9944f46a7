// The page of `kestrel-skills serve`: one panel, and none of the Console around it.
import API from '/js/api.js';
import { show, registered } from '/js/ui-ext/panels.js';

const note = document.getElementById('page-note');

function say(text) {
  note.hidden = false;
  note.textContent = text;
}

async function begin() {
  if (!API.hasToken()) {
    say('Open the address that kestrel-skills serve printed, with all that stands behind the #.');
    return;
  }
  try {
    await import('/features/proceduralskillsfeature/static/skills.js');
  } catch (error) {
    console.error(error);
    say('The panel could not be loaded.');
    return;
  }
  const [panel] = registered();
  if (!panel) {
    say('There is no panel here.');
    return;
  }
  note.hidden = true;
  show(panel, document.getElementById('panel-host'), { api: API, panelId: panel.panelId });
}

// An address of another start, pasted over this one, differs in what is behind the # alone: a browser loads nothing then.
window.addEventListener('hashchange', () => location.reload());
begin();
