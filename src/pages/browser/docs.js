// The script of /docs, around the viewer in its frame. The session is the console's in this tab.
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);

  function storedSession() {
    try {
      const session = JSON.parse(sessionStorage.getItem('session'));
      return session.token.unencoded.exp * 1000 > Date.now() ? session : null;
    } catch {
      return null;
    }
  }

  const session = storedSession();
  // Before the first paint.
  if (session) root.dataset.session = 'in';

  function showMessage(element, text, isError = false) {
    element.classList.toggle('error', isError);
    element.textContent = text;
  }

  /** Sends a request. Returns the response, or throws an Error for the user. */
  async function send(method, path, token) {
    const headers = { 'x-requested-with': 'XMLHttpRequest', ...(token ? { authorization: token } : {}) };
    try {
      return await fetch(path, { method, headers });
    } catch {
      throw new Error('The server did not respond. Please try again later.');
    }
  }

  /** Returns the JSON of a successful response, or throws an Error for the user. */
  async function request(method, path, token) {
    const response = await send(method, path, token);
    if (response.ok) return response.json();
    if (response.status === 401) throw new Error('Your session has ended. Please sign in again.');
    throw new Error(`The server responded with status ${response.status}.`);
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

  /** Opens the viewer in a sandboxed frame, and passes it temporary tokens. [ADR 41] */
  function initDocs() {
    const theme = localStorage.getItem('theme');
    const viewer = () => `/docs/viewer${theme ? `?theme=${encodeURIComponent(theme)}` : ''}${location.hash}`;
    const [frame, message, authorize, revoke] = ['viewer', 'viewer-message', 'authorize', 'revoke'].map((id) =>
      find(`#${id}`),
    );
    // Requested here: browsers do not cache requests of a document with an opaque origin.
    const description = send('GET', '/api/openapi.json').then(
      (response) => response.text(),
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
        const body = await request('POST', '/api/tokens/temporary', session.token.encoded);
        const { encoded, unencoded } = body.token;
        const lifetime = (unencoded.exp - unencoded.iat) * 1000;
        const end = new Date(Date.now() + lifetime).toLocaleTimeString([], { timeStyle: 'short' });
        setToken(encoded, `Requests use your account until ${end}.`);
        timer = setTimeout(() => setToken(null, 'The token has expired.'), lifetime);
      }),
    );
    revoke.addEventListener('click', () =>
      runOnce(revoke, message, async () => {
        const { ok, status } = await send('DELETE', '/api/tokens', token);
        // 401: it has ended already.
        if (!ok && status !== 401) throw new Error('The token could not be revoked. Please try again.');
        clearTimeout(timer);
        setToken(null, 'Requests no longer use your account.');
      }),
    );
    // Only now, so that its message is not missed.
    frame.src = viewer();
    // Without an entry of its own in the history.
    addEventListener('hashchange', () => frame.contentWindow.location.replace(viewer()));
  }

  document.addEventListener('DOMContentLoaded', initDocs);
})();
