// What the Console offers a panel to speak with a person: text is always set as text.
export function escapeHtml(text) {
  const element = document.createElement('div');
  element.textContent = text;
  return element.innerHTML;
}

function toasts() {
  let found = document.querySelector('.page-toasts');
  if (!found) {
    found = document.createElement('div');
    found.className = 'page-toasts';
    found.setAttribute('role', 'status');
    document.body.append(found);
  }
  return found;
}

function toast(message, kind, duration = 4000) {
  const shown = document.createElement('div');
  shown.className = 'page-toast';
  shown.dataset.kind = kind;
  shown.textContent = message;
  toasts().append(shown);
  setTimeout(() => shown.remove(), duration);
}

export const Toast = {
  success: (message, duration) => toast(message, 'success', duration),
  error: (message, duration) => toast(message, 'error', duration),
  warning: (message, duration) => toast(message, 'warning', duration),
  info: (message, duration) => toast(message, 'info', duration),
};

let open = null;

export const Modal = {
  show({ title = '', content = '', buttons = [], onClose }) {
    this.hide();
    const dialog = document.createElement('dialog');
    dialog.className = 'page-modal';
    const heading = document.createElement('h3');
    heading.textContent = title;
    const body = document.createElement('div');
    body.append(content);
    const footer = document.createElement('footer');
    for (const { label, text, className = 'btn btn-secondary', onClick } of buttons) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = className;
      button.textContent = label ?? text ?? '';
      button.addEventListener('click', () => (onClick ? onClick() : this.hide()));
      footer.append(button);
    }
    dialog.append(heading, body, footer);
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (open === dialog) open = null;
      onClose?.();
    });
    document.body.append(dialog);
    dialog.showModal();
    open = dialog;
    return dialog;
  },
  hide() {
    open?.close();
  },
};
