/**
 * The one script of all pages, inline and allowed by its hash. It sends forms as JSON, keeps the session where the
 * vendor's web app looks for it (`localStorage.session`, [client web app]), and does what `data-on-load` of the body says.
 */
export const pageScript = `'use strict';
(() => {
  const at = (name) => document.querySelector(name);
  const stored = () => {
    try {
      const session = JSON.parse(localStorage.getItem('session'));
      return session.token.unencoded.exp * 1000 > Date.now() ? session : null;
    } catch { return null; }
  };
  const sentence = (body) => {
    if (!body || typeof body !== 'object') return '';
    return Object.values(body).map((value) => (value && typeof value === 'object' ? sentence(value) : value))
      .filter((value) => typeof value === 'string').join(' ');
  };
  async function send(form) {
    const told = form.querySelector('output');
    const fields = {};
    for (const input of form.elements)
      if (input.name) fields[input.name] = input.type === 'checkbox' ? input.checked : input.value;
    told.className = '';
    told.textContent = 'One moment …';
    try {
      const answer = await fetch(form.dataset.to, {
        method: form.dataset.method,
        headers: { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' },
        body: JSON.stringify(form.dataset.nest ? { [form.dataset.nest]: fields } : fields),
      });
      const text = await answer.text();
      let body = null;
      try { body = JSON.parse(text); } catch { body = { error: text.slice(0, 300) }; }
      if (answer.status === 451 && location.pathname !== '/tos_update') {
        location.assign('/tos_update');
        return;
      }
      if (!answer.ok) throw new Error(sentence(body) || 'The server answered ' + answer.status + '.');
      if (body && body.token) {
        localStorage.setItem('session', text);
        location.assign('/app');
        return;
      }
      told.textContent = sentence(body) || 'Done.';
    } catch (error) {
      told.className = 'bad';
      told.textContent = error.message;
    }
  }
  document.addEventListener('submit', (event) => {
    event.preventDefault();
    send(event.target);
  });
  const onLoad = {
    keep() {
      localStorage.setItem('session', at('#session').textContent);
      location.replace('/app/designer/messages');
    },
    forget() {
      localStorage.clear();
      sessionStorage.clear();
      location.replace('/');
    },
    token() {
      at('[name=id]').value = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop());
    },
    account() {
      const session = stored();
      at('#out').hidden = Boolean(session);
      at('#in').hidden = !session;
      if (!session || !session.user) return;
      at('#name').textContent = session.user.name || session.user.email;
      at('#server').textContent = location.origin;
    },
  };
  const action = onLoad[document.body.dataset.onLoad];
  if (action) action();
})();
`;
