// Builds elements. Text is only ever set as text; no attribute is ever parsed as HTML.

/** An element: `class`, `on` (listeners), `data`, properties it has, else attributes; null and false are left out. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'spellcheck') element.spellcheck = value;
    else if (value === null || value === undefined || value === false) continue;
    else if (name === 'class') element.className = value;
    else if (name === 'on') for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name in element && !name.startsWith('aria')) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  return fill(element, children);
}

/** Has an element hold exactly these; what is null or false is left out. */
export function fill(element, ...children) {
  const isThere = (child) => child !== null && child !== undefined && child !== false && child !== '';
  element.replaceChildren(...children.flat(Infinity).filter(isThere));
  return element;
}

let last = 0;

/** An id that nothing else on the page has. */
export const freshId = () => `ksk-${(last += 1)}`;

export function button(text, run, kind = 'secondary', more = {}) {
  const { class: extra = '', ...rest } = more;
  return h('button', { type: 'button', class: `btn btn-${kind} ${extra}`.trim(), on: { click: run }, ...rest }, text);
}

/** A labelled control, with a line below it that it is described by. */
export function field(label, control, hint = '') {
  control.id ||= freshId();
  const note = h('div', { class: 'ksk-note', id: `${control.id}-note` }, hint);
  control.setAttribute('aria-describedby', note.id);
  return { box: h('div', { class: 'ksk-field' }, h('label', { htmlFor: control.id }, label), control, note), note };
}

/** Runs once things have been quiet for so many milliseconds. */
export function settled(run, wait = 200) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
}

const whole = new Intl.NumberFormat('en');
export const count = (number) => whole.format(number);
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
export const short = (digest) => (digest ? `${digest.slice(0, 10)}…` : '');
