// A field to type a priority in. What is none is told, and not taken: once the field is left it has again what counts.
import { h, count } from './dom.js';
import { PRIORITIES } from './order.js';

const WHAT = `A priority is a whole number from ${count(PRIORITIES.min)} to ${count(PRIORITIES.max)}`;

/** `typed` and `left` are told the number while it is typed and when that is done; `told` what is wrong, else nothing. */
export function priorityField(props, { typed, left = () => {}, told }) {
  let counts = null;
  const isRight = () => field.value !== '' && field.checkValidity();
  const field = h('input', {
    type: 'number', ...PRIORITIES, class: 'ksk-number', ...props,
    on: {
      input: () => {
        const isWrong = !isRight() && (field.value !== '' || field.validity.badInput); // a field that was emptied waits
        field.setAttribute('aria-invalid', String(isWrong));
        told(isWrong ? `${WHAT}.` : '');
        if (isRight()) typed(Number(field.value));
      },
      change: () => {
        if (isRight()) left(Number(field.value));
        else {
          show(counts);
          told(`${WHAT}. It stays ${count(counts)}.`);
        }
      },
    },
  });
  /** Shows what counts, but for where something else is being typed. */
  const show = (priority, { isTyped = false } = {}) => {
    counts = priority;
    if (isTyped) return;
    field.value = String(priority);
    field.setAttribute('aria-invalid', 'false');
  };
  return { field, show };
}
