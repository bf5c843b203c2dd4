// The script of all pages. It sends forms as JSON, shows errors next to their fields, and stores the session where the
// vendor's web app expects it (`localStorage.session`). `data-page` of the body names what else a page does. [rule W8]
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  /** Interval of requests for the robot's status, in ms. */
  const pollInterval = 30_000;
  /** A robot seen within this time, in ms, is shown as online. */
  const onlineTime = 15 * 60_000;
  /** Timeout of signing out, in ms. */
  const signOutTimeout = 3_000;

  function storedSession() {
    try {
      const session = JSON.parse(localStorage.getItem('session'));
      return session.token.unencoded.exp * 1000 > Date.now() ? session : null;
    } catch {
      return null;
    }
  }

  const session = storedSession();
  // Before the first paint.
  if (session) root.dataset.session = 'in';

  function clearStorage() {
    localStorage.clear();
    sessionStorage.clear();
  }

  /** Sends a request. Returns the response, or throws an Error for the user. */
  async function request(method, path, { body, token, signal } = {}) {
    const headers = { 'x-requested-with': 'XMLHttpRequest' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (token) headers.authorization = token;
    let response;
    try {
      response = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body) });
    } catch {
      throw new Error('The server did not respond. Please try again later.');
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && !type.startsWith('application/json'))
      return { status: response.status, ok: true, blob: await response.blob() };
    const text = await response.text();
    try {
      return { status: response.status, ok: response.ok, text, body: text === '' ? null : JSON.parse(text) };
    } catch {
      return { status: response.status, ok: response.ok, text, body: { error: text.slice(0, 300) } };
    }
  }

  /** All messages in an error body, at any depth. */
  const messages = (body) =>
    typeof body === 'string' ? [body] : body && typeof body === 'object' ? Object.values(body).flatMap(messages) : [];

  // Forms

  /** Shows the error of a field; '' clears it. */
  function showFieldError(input, problem) {
    const element = document.getElementById(`${input.id}-problem`);
    if (problem === '') input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
    if (element) element.textContent = problem;
  }

  function showMessage(element, text, isError = false) {
    element.classList.toggle('error', isError);
    element.textContent = text;
  }

  const messageOf = (form) => form.querySelector('.message');

  function fieldError(input) {
    const { value, validity, minLength, dataset, form } = input;
    if (validity.valueMissing) return input.type === 'checkbox' ? 'Please check this box.' : 'This field is required.';
    if (validity.typeMismatch) return 'Enter a valid e-mail address.';
    if (minLength > 0 && value.trim().length < minLength) return `Use at least ${minLength} characters.`;
    if (dataset.same && form.elements[dataset.same].value !== value) return 'The passwords do not match.';
    return '';
  }

  const inputsOf = (form) => [...form.elements].filter((input) => input.name && input.type !== 'hidden');

  /** Shows the errors of all fields and focuses the first; returns whether there are none. */
  function validate(form) {
    const inputs = inputsOf(form);
    for (const input of inputs) showFieldError(input, fieldError(input));
    const invalid = inputs.find((input) => input.getAttribute('aria-invalid'));
    invalid?.focus();
    return !invalid;
  }

  function fieldsOf(form) {
    const fields = {};
    for (const input of form.elements)
      if (input.name) fields[input.name] = input.type === 'checkbox' ? input.checked : input.value;
    return fields;
  }

  /** Shows each error next to its field, and the others below the form. */
  function showErrors(form, { status, body }) {
    const rest = [];
    for (const [key, value] of Object.entries(body && typeof body === 'object' ? body : {})) {
      const input = inputsOf(form).find(({ name, dataset }) => name === key || dataset.alias === key);
      if (input) showFieldError(input, messages(value).join(' '));
      else rest.push(...messages(value));
    }
    const first = inputsOf(form).find((input) => input.getAttribute('aria-invalid'));
    const fallback = first ? '' : `The server responded with status ${status}.`;
    showMessage(messageOf(form), rest.join(' ') || fallback, true);
    first?.focus();
    const help = form.querySelector('[data-status]');
    if (help) help.hidden = rest.length === 0 || help.dataset.status !== String(status);
  }

  function signIn(text) {
    localStorage.setItem('session', text);
    location.assign('/app');
  }

  /** Replaces a form with what follows it. */
  function showNext(form, fields) {
    const panel = document.getElementById(form.dataset.leadsTo);
    for (const element of panel.querySelectorAll('[data-fill]')) element.textContent = fields[element.dataset.fill];
    form.hidden = true;
    panel.hidden = false;
    const heading = panel.querySelector('h2');
    heading.tabIndex = -1;
    heading.focus();
  }

  async function send(form) {
    const fields = fieldsOf(form);
    const { to, method, nest, leadsTo } = form.dataset;
    const response = await request(method, to, { body: nest ? { [nest]: fields } : fields });
    if (response.status === 451 && location.pathname !== '/tos_update') {
      if (fields.email) sessionStorage.setItem('email', fields.email);
      location.assign('/tos_update');
    } else if (!response.ok) showErrors(form, response);
    else if (response.body?.token) signIn(response.text);
    else if (leadsTo === 'sign-in') {
      const { email, password } = fields;
      const signedIn = await request('POST', '/api/tokens', { body: { user: { email, password } } });
      if (signedIn.ok) signIn(signedIn.text);
      else location.assign('/sign_in');
    } else if (leadsTo) showNext(form, fields);
    else showMessage(messageOf(form), messages(response.body).join(' ') || 'Done.');
  }

  /** Runs the action of a button, one at a time, and shows its error. */
  async function runOnce(button, message, action) {
    if (button.getAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    showMessage(message, '');
    try {
      await action();
    } catch (error) {
      showMessage(message, error.message, true);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  }

  function initForms() {
    for (const form of document.forms) {
      // Our own messages stand next to the fields; without this script the browser's own are better than none.
      form.noValidate = true;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        if (!validate(form)) return;
        void runOnce(form.querySelector('button'), messageOf(form), () => send(form));
      });
      form.addEventListener('input', ({ target }) => showFieldError(target, ''));
    }
    for (const input of document.querySelectorAll('[data-common]'))
      input.addEventListener('input', () => {
        const value = input.value.trim().toLowerCase();
        const own = ['name', 'email'].map((name) => input.form.elements[name]?.value.trim().toLowerCase());
        const isCommon = value !== '' && (input.dataset.common.split(' ').includes(value) || own.includes(value));
        document.getElementById(`${input.id}-warning`).textContent = isCommon
          ? 'This is one of the first passwords that attackers try. Another one is safer.'
          : '';
      });
    for (const button of document.querySelectorAll('[data-reveal]'))
      button.addEventListener('change', () => {
        for (const input of button.form.querySelectorAll('[autocomplete$="password"]'))
          input.type = button.checked ? 'text' : 'password';
      });
    for (const button of document.querySelectorAll('[data-resend]'))
      button.addEventListener('click', () => {
        const message = find(`#${button.dataset.resend}`);
        const email = find('form [name=email]').value;
        void runOnce(button, message, async () => {
          const { ok, body } = await request('POST', '/api/users/resend_verification', { body: { email } });
          showMessage(message, messages(body).join(' '), !ok);
        });
      });
  }

  // Dashboard

  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

  function relativeTime(time) {
    const seconds = Math.min(0, Math.round((time - Date.now()) / 1000));
    if (seconds > -60) return 'less than a minute ago';
    for (const [unit, size] of [
      ['day', 86_400],
      ['hour', 3_600],
    ])
      if (-seconds >= size) return relative.format(Math.trunc(seconds / size), unit);
    return relative.format(Math.trunc(seconds / 60), 'minute');
  }

  function showDevice({ name, last_saw_api: lastSeen, fbos_version: version }) {
    const time = lastSeen ? Date.parse(lastSeen) : null;
    const isOnline = time !== null && Date.now() - time < onlineTime;
    find('#robot-state').classList.toggle('online', isOnline);
    find('#robot-state').textContent =
      time === null ? 'No robot has signed in yet.' : `Last seen ${relativeTime(time)}.`;
    find('#robot-name').textContent = name ?? '';
    find('#robot-version').textContent = version ?? 'unknown';
    find('#robot-seen').textContent = time === null ? 'never' : new Date(time).toLocaleString();
  }

  async function requestSignedIn(method, path, more = {}) {
    const response = await request(method, path, { ...more, token: session.token.encoded });
    if (response.status === 401) {
      clearStorage();
      location.replace('/sign_in');
      throw new Error('Your session has ended. Please sign in again.');
    }
    if (response.status === 451) location.replace('/tos_update');
    if (!response.ok)
      throw new Error(messages(response.body).join(' ') || `The server responded with status ${response.status}.`);
    return response;
  }

  async function showStatus() {
    try {
      showDevice((await requestSignedIn('GET', '/api/device')).body);
    } catch (error) {
      find('#robot-state').classList.remove('online');
      find('#robot-state').textContent = error.message;
    }
  }

  function save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async function download() {
    const message = find('#data-message');
    await runOnce(find('#download'), message, async () => {
      showMessage(message, 'Preparing your data …');
      const withPhotos = find('#with-photos').checked;
      const response = await requestSignedIn('POST', `/api/export_data${withPhotos ? '?photos=true' : ''}`);
      const day = new Date().toISOString().slice(0, 10);
      if (response.blob?.size > 0) save(response.blob, `garden-${day}.zip`);
      else if (response.body) save(new Blob([response.text], { type: 'application/json' }), `garden-${day}.json`);
      const isMailed = response.status === 202 || !(response.blob?.size > 0 || response.body);
      showMessage(message, isMailed ? 'Your data will be sent to you by e-mail.' : 'Your data was downloaded.');
    });
  }

  function initCopy(button) {
    // Browsers have no clipboard on unencrypted pages; there the URL can be selected with one click.
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(find(`#${button.dataset.copy}`).textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
  }

  const pages = {
    storeSession() {
      localStorage.setItem('session', find('#session').textContent);
      location.replace('/app/designer/messages');
    },
    async signOut() {
      const signal = AbortSignal.timeout(signOutTimeout);
      if (session)
        await request('DELETE', '/api/tokens', { token: session.token.encoded, signal }).catch(() => undefined);
      clearStorage();
      location.replace('/');
    },
    reset() {
      find('[name=id]').value = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop());
    },
    terms() {
      find('form [name=email]').value = sessionStorage.getItem('email') ?? '';
    },
    start() {
      if (!session) {
        location.replace('/sign_in');
        return;
      }
      const { name, email } = session.user ?? {};
      find('#who').textContent = name || email || 'gardener';
      find('#email').textContent = email ?? '';
      find('#download').addEventListener('click', () => void download());
      void showStatus();
      setInterval(() => {
        if (!document.hidden) void showStatus();
      }, pollInterval);
    },
  };

  document.addEventListener('DOMContentLoaded', () => {
    initForms();
    for (const button of document.querySelectorAll('[data-copy]')) initCopy(button);
    pages[document.body.dataset.page]?.();
  });
})();
