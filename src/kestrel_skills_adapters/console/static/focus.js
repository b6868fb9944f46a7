// The focus stays in the panel. Where what has it goes away, is hidden or is disabled, what comes in its place takes it:
// else it would fall to the page, and a person who works by keyboard would have to begin at the top.

const CAN = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex]';

/** Where to go on in a part in which nothing is what it was: at no button, but for one to leave a dialog by. */
const ENTRANCES = [['.ksk-file', 'textarea'], ['.ksk-whole', 'h2'], ['dialog', 'input:enabled, textarea, button:enabled']];

const nameOf = (element) => element.getAttribute('aria-label') || element.textContent;
const isThere = (element) => element.isConnected && !element.matches(':disabled') && element.checkVisibility();

/** What may have the focus next, in a part of the page: what is called as that which lost it, the part itself, its entrance. */
function* heirs(part, lost) {
  const name = nameOf(lost);
  if (name) for (const each of part.querySelectorAll(CAN)) if (each.tagName === lost.tagName && nameOf(each) === name) yield each;
  if (part.matches(CAN)) yield part;
  for (const [which, entrance] of ENTRANCES) if (part.matches(which)) yield part.querySelector(entrance);
}

/** Watches over the focus in an element; `otherwise` is asked to place it where nothing near can have it. */
export function keepFocus(element, otherwise) {
  let trail = []; // what has the focus, and all that it stands in
  element.addEventListener('focusin', (event) => {
    trail = [];
    for (let part = event.target; part !== element.parentElement; part = part.parentElement) trail.push(part);
  });
  element.addEventListener('focusout', () => queueMicrotask(() => {
    const [had] = trail;
    if (had && document.activeElement !== had && isThere(had)) trail = []; // a person went elsewhere
  }));
  const pass = () => {
    const [lost, ...parts] = trail;
    if (!lost || isThere(lost) || ![document.body, lost].includes(document.activeElement)) return;
    for (const part of parts.filter(isThere)) {
      for (const heir of heirs(part, lost)) {
        heir?.focus({ preventScroll: true });
        if (document.activeElement === heir) return;
      }
    }
    otherwise();
  };
  new MutationObserver(pass).observe(element, { subtree: true, childList: true, attributes: true, attributeFilter: ['hidden', 'disabled'] });
}
