// The Console's bus of events, in a few lines.
const listeners = new Map();

export function on(event, listen) {
  const told = listeners.get(event) ?? new Set();
  listeners.set(event, told.add(listen));
  return () => off(event, listen);
}

export function off(event, listen) {
  listeners.get(event)?.delete(listen);
}

export function emit(event, payload) {
  for (const listen of [...(listeners.get(event) ?? [])]) {
    try {
      listen(payload);
    } catch (error) {
      console.error(error);
    }
  }
}

export const bus = { on, off, emit };
export default bus;
