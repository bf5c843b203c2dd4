// The script of all pages. It sends forms as JSON, shows errors next to their fields, and stores the session where the
// vendor's web app expects it (`localStorage.session`). `data-page` of the body names what else a page does. The pages of
// signed-in people have a script of their own, which uses `window.potager`. [rule W8]
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
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
  if (session?.user?.email?.endsWith('@farmbot.guest')) root.dataset.account = 'demo';

  function clearStorage() {
    localStorage.clear();
    sessionStorage.clear();
  }

  /** Sends a request. Returns the response, or throws an Error for the user. */
  async function request(method, path, { body, file, token, signal, headers: more } = {}) {
    const headers = { 'x-requested-with': 'XMLHttpRequest', ...more };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (token) headers.authorization = token;
    let response;
    try {
      response = await fetch(path, { method, headers, signal, body: file ?? (body && JSON.stringify(body)) });
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
    if (dataset.mustChange && value === input.defaultValue) return 'This is your address already.';
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
    const help = form.nextElementSibling;
    if (help?.dataset.status) help.hidden = rest.length === 0 || help.dataset.status !== String(status);
  }

  function signIn(text) {
    localStorage.setItem('session', text);
    // The page of an invitation, which is accepted after the sign-in.
    const next = sessionStorage.getItem('next');
    sessionStorage.removeItem('next');
    location.assign(next ?? '/app');
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
    const body = nest ? { [nest]: fields } : fields;
    const response = await (form.dataset.signedIn ? requestWithToken : request)(method, to, { body });
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
    else {
      for (const input of form.querySelectorAll('[autocomplete$="password"]')) input.value = '';
      showMessage(messageOf(form), form.dataset.done ?? (messages(response.body).join(' ') || 'Done.'));
      form.dispatchEvent(new CustomEvent('saved', { detail: response.body }));
    }
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
        if (!form.dataset.to) form.dispatchEvent(new CustomEvent('valid'));
        else void runOnce(form.querySelector('button'), messageOf(form), () => send(form));
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

  // Requests of signed-in people

  /** Sends a request with the token of the session. */
  async function requestWithToken(method, path, more = {}) {
    const response = await request(method, path, { ...more, token: session.token.encoded });
    if (response.status === 401) {
      clearStorage();
      location.replace('/sign_in');
      throw new Error('Your session has ended. Please sign in again.');
    }
    if (response.status === 451) location.replace('/tos_update');
    return response;
  }

  /** The same; also throws when the server refuses it. */
  async function requestSignedIn(method, path, more = {}) {
    const response = await requestWithToken(method, path, more);
    if (!response.ok)
      throw new Error(messages(response.body).join(' ') || `The server responded with status ${response.status}.`);
    return response;
  }

  // Copying

  /** Copies the text of an element; returns whether it was copied. On unencrypted pages there is no clipboard API: there it is selected, too. */
  async function copyText(element) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      const selection = getSelection();
      selection.selectAllChildren(element);
      return document.execCommand('copy');
    }
  }

  function initCopy(button) {
    const [text, status] = [find(`#${button.dataset.copy}`), find(`#${button.dataset.copy}-copied`)];
    button.hidden = false;
    button.addEventListener('click', async () => {
      // Emptied first, so that screen readers read the same words again.
      status.textContent = '';
      const isCopied = await copyText(text);
      status.textContent = isCopied ? 'Copied.' : 'Selected: copy it with Ctrl+C.';
    });
  }

  // API documentation

  /** Opens the viewer in a sandboxed frame, and passes it temporary tokens. [ADR 41] */
  function initDocs() {
    const [frame, message, authorize, revoke] = ['viewer', 'viewer-message', 'authorize', 'revoke'].map((id) =>
      find(`#${id}`),
    );
    // Requested here: browsers do not cache what a document with an opaque origin requests.
    const description = request('GET', '/api/openapi.json').then(
      ({ text }) => text,
      (error) => showMessage(message, error.message, true),
    );
    let port = null;
    let token = null;
    let timer;

    function setToken(newToken, text) {
      token = newToken;
      port.postMessage({ token });
      authorize.hidden = token !== null;
      revoke.hidden = token === null;
      showMessage(message, text);
    }

    addEventListener('message', ({ source, origin, ports }) => {
      // Sandboxed frames have the origin "null". The port ends with the document that sent it.
      if (source !== frame.contentWindow || origin !== 'null' || ports.length !== 1) return;
      [port] = ports;
      // The operation that is open.
      port.onmessage = ({ data }) => {
        if (/^#\/\w+$/.test(data)) history.replaceState(null, '', data);
      };
      if (token) port.postMessage({ token });
      else authorize.hidden = false;
      void description.then((text) => ports[0].postMessage({ description: text }));
    });
    authorize.addEventListener('click', () =>
      runOnce(authorize, message, async () => {
        const { body } = await requestSignedIn('POST', '/api/tokens/temporary');
        const { encoded, unencoded } = body.token;
        const lifetime = (unencoded.exp - unencoded.iat) * 1000;
        const end = new Date(Date.now() + lifetime).toLocaleTimeString([], { timeStyle: 'short' });
        setToken(encoded, `Requests use your account until ${end}.`);
        timer = setTimeout(() => setToken(null, 'The token has expired.'), lifetime);
      }),
    );
    revoke.addEventListener('click', () =>
      runOnce(revoke, message, async () => {
        const { ok, status } = await request('DELETE', '/api/tokens', { token });
        // 401: it has ended already.
        if (!ok && status !== 401) throw new Error('The token could not be revoked. Please try again.');
        clearTimeout(timer);
        setToken(null, 'Requests no longer use your account.');
      }),
    );
    // Only now, so that its message is not missed.
    frame.src = `/docs/viewer${location.hash}`;
    // Without an entry of its own in the history.
    addEventListener('hashchange', () => frame.contentWindow.location.replace(`/docs/viewer${location.hash}`));
  }

  const pages = {
    docs: initDocs,
    storeSession() {
      const text = find('#session').textContent;
      const { email } = JSON.parse(text).user;
      const current = root.dataset.account === 'demo' ? email : (session?.user?.email ?? email);
      // The link may be of another person, who wants this one to use the wrong account.
      if (current === email || confirm(`You are signed in as ${current}. Sign in as ${email} instead?`))
        localStorage.setItem('session', text);
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
      const token = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop());
      find('[name=id]').value = token;
      const email = find('[name=email]');
      try {
        // The address that the link was sent to.
        const { sub } = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
        if (email && sub.includes('@')) email.value = sub;
      } catch {
        // The link is incomplete.
      }
    },
    invitation() {
      if (!session) sessionStorage.setItem('next', location.pathname);
    },
    terms() {
      find('form [name=email]').value = sessionStorage.getItem('email') ?? '';
    },
  };

  window.potager = {
    ...{ session, find, messages, request: requestWithToken, requestSignedIn, runOnce, showErrors, showMessage },
  };

  document.addEventListener('DOMContentLoaded', () => {
    initForms();
    for (const button of document.querySelectorAll('[data-copy]')) initCopy(button);
    pages[document.body.dataset.page]?.();
  });
})();
