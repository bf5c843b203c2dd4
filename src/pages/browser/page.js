// The one script of all pages. It sends forms as JSON, tells failures next to their fields, and keeps the session where
// the vendor's web app looks for it (`localStorage.session`). What else a page does is named in `data-page` of its body.
(() => {
  const root = document.documentElement;
  const at = (selector) => document.querySelector(selector);
  /** How often the robot's state is asked for, in ms. */
  const lookTime = 30_000;
  /** A robot that was seen within so many ms is shown as being there. */
  const hereTime = 15 * 60_000;
  /** How long signing out may take, in ms, before the page goes on without it. */
  const leaveTime = 3_000;

  function storedSession() {
    try {
      const session = JSON.parse(localStorage.getItem('session'));
      return session.token.unencoded.exp * 1000 > Date.now() ? session : null;
    } catch {
      return null;
    }
  }

  const session = storedSession();
  // At once, before anything is painted.
  if (session) root.dataset.session = 'in';

  function forget() {
    localStorage.clear();
    sessionStorage.clear();
  }

  /** The server's answer; `body` is null where it is not JSON. Throws a sentence when there is none. */
  async function ask(method, path, { body, token, signal } = {}) {
    const headers = { 'x-requested-with': 'XMLHttpRequest' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (token) headers.authorization = token;
    let answer;
    try {
      answer = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body) });
    } catch {
      throw new Error('The server did not answer. Please try again in a moment.');
    }
    const type = answer.headers.get('content-type') ?? '';
    if (answer.ok && !type.startsWith('application/json'))
      return { status: answer.status, ok: true, blob: await answer.blob() };
    const text = await answer.text();
    try {
      return { status: answer.status, ok: answer.ok, text, body: text === '' ? null : JSON.parse(text) };
    } catch {
      return { status: answer.status, ok: answer.ok, text, body: { error: text.slice(0, 300) } };
    }
  }

  /** All sentences of a failure, whatever their keys. */
  const sentences = (body) =>
    typeof body === 'string' ? [body] : body && typeof body === 'object' ? Object.values(body).flatMap(sentences) : [];

  // Forms

  /** Shows what is wrong with a field, or with '' that nothing is. */
  function mark(input, problem) {
    const told = document.getElementById(`${input.id}-problem`);
    if (problem === '') input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
    if (told) told.textContent = problem;
  }

  function tell(form, text, isBad = false) {
    const told = form.querySelector('.told');
    told.classList.toggle('bad', isBad);
    told.textContent = text;
  }

  function problemOf(input) {
    const { value, validity, minLength, dataset, form } = input;
    if (validity.valueMissing)
      return input.type === 'checkbox' ? 'Please tick this box to go on.' : 'Please fill this in.';
    if (validity.typeMismatch) return 'This does not look like an e-mail address.';
    if (minLength > 0 && value.trim().length < minLength) return `At least ${minLength} characters, please.`;
    if (dataset.same && form.elements[dataset.same].value !== value) return 'The two passwords are not the same.';
    return '';
  }

  const inputsOf = (form) => [...form.elements].filter((input) => input.name && input.type !== 'hidden');

  /** Marks every field that is wrong and goes to the first. */
  function isRight(form) {
    const inputs = inputsOf(form);
    for (const input of inputs) mark(input, problemOf(input));
    const wrong = inputs.find((input) => input.getAttribute('aria-invalid'));
    wrong?.focus();
    return !wrong;
  }

  function fieldsOf(form) {
    const fields = {};
    for (const input of form.elements)
      if (input.name) fields[input.name] = input.type === 'checkbox' ? input.checked : input.value;
    return fields;
  }

  /** Puts each sentence of a failure next to its field, and what belongs to no field below the form. */
  function showFailure(form, { status, body }) {
    const rest = [];
    for (const [key, value] of Object.entries(body && typeof body === 'object' ? body : {})) {
      const input = inputsOf(form).find(({ name, dataset }) => name === key || dataset.alias === key);
      if (input) mark(input, sentences(value).join(' '));
      else rest.push(...sentences(value));
    }
    const marked = inputsOf(form).find((input) => input.getAttribute('aria-invalid'));
    const fallback = marked ? '' : `The server answered with status ${status}.`;
    tell(form, rest.join(' ') || fallback, true);
    marked?.focus();
    const further = form.querySelector('[data-status]');
    if (further) further.hidden = rest.length === 0 || further.dataset.status !== String(status);
  }

  function keep(text) {
    localStorage.setItem('session', text);
    location.assign('/app');
  }

  /** Shows what follows a form in its place. */
  function goOn(form, fields) {
    const panel = document.getElementById(form.dataset.leadsTo);
    for (const place of panel.querySelectorAll('[data-fill]')) place.textContent = fields[place.dataset.fill];
    form.hidden = true;
    panel.hidden = false;
    const heading = panel.querySelector('h2');
    heading.tabIndex = -1;
    heading.focus();
  }

  async function send(form) {
    const fields = fieldsOf(form);
    const { to, method, nest, leadsTo } = form.dataset;
    const answer = await ask(method, to, { body: nest ? { [nest]: fields } : fields });
    if (answer.status === 451 && location.pathname !== '/tos_update') {
      if (fields.email) sessionStorage.setItem('email', fields.email);
      location.assign('/tos_update');
    } else if (!answer.ok) showFailure(form, answer);
    else if (answer.body?.token) keep(answer.text);
    else if (leadsTo === 'sign-in') {
      const { email, password } = fields;
      const signedIn = await ask('POST', '/api/tokens', { body: { user: { email, password } } });
      if (signedIn.ok) keep(signedIn.text);
      else location.assign('/sign_in');
    } else if (leadsTo) goOn(form, fields);
    else tell(form, sentences(answer.body).join(' ') || 'Done.');
  }

  /** Runs the work of a button once at a time, and tells what went wrong. */
  async function once(button, told, work) {
    if (button.getAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    told('', false);
    try {
      await work();
    } catch (error) {
      told(error.message, true);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  }

  function wireForms() {
    for (const form of document.forms) {
      // Our own sentences stand next to the fields; without this script the browser's own are better than none.
      form.noValidate = true;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        if (!isRight(form)) return;
        void once(
          form.querySelector('button'),
          (text, isBad) => tell(form, text, isBad),
          () => send(form),
        );
      });
      form.addEventListener('input', ({ target }) => mark(target, ''));
    }
    for (const button of document.querySelectorAll('[data-reveal]'))
      button.addEventListener('change', () => {
        for (const input of button.form.querySelectorAll('[autocomplete$="password"]'))
          input.type = button.checked ? 'text' : 'password';
      });
    for (const button of document.querySelectorAll('[data-resend]'))
      button.addEventListener('click', () => {
        const told = at(`#${button.dataset.resend}`);
        const show = (text, isBad) => {
          told.classList.toggle('bad', isBad);
          told.textContent = text;
        };
        const email = at('form [name=email]').value;
        void once(button, show, async () => {
          const { ok, body } = await ask('POST', '/api/users/resend_verification', { body: { email } });
          show(sentences(body).join(' '), !ok);
        });
      });
  }

  // The start page

  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

  function ago(time) {
    const seconds = Math.min(0, Math.round((time - Date.now()) / 1000));
    if (seconds > -60) return 'less than a minute ago';
    for (const [unit, size] of [
      ['day', 86_400],
      ['hour', 3_600],
    ])
      if (-seconds >= size) return relative.format(Math.trunc(seconds / size), unit);
    return relative.format(Math.trunc(seconds / 60), 'minute');
  }

  function showDevice({ name, last_saw_api: seen, fbos_version: version }) {
    const time = seen ? Date.parse(seen) : null;
    const isHere = time !== null && Date.now() - time < hereTime;
    at('#robot-state').classList.toggle('here', isHere);
    at('#robot-state').textContent = time === null ? 'No robot has signed in yet.' : `Last seen ${ago(time)}.`;
    at('#robot-name').textContent = name ?? '';
    at('#robot-version').textContent = version ?? 'not known yet';
    at('#robot-seen').textContent = time === null ? 'never' : new Date(time).toLocaleString();
  }

  async function askSignedIn(method, path, more = {}) {
    const answer = await ask(method, path, { ...more, token: session.token.encoded });
    if (answer.status === 401) {
      forget();
      location.replace('/sign_in');
      throw new Error('You were signed out. Please sign in again.');
    }
    if (answer.status === 451) location.replace('/tos_update');
    if (!answer.ok) throw new Error(sentences(answer.body).join(' ') || `The server answered ${answer.status}.`);
    return answer;
  }

  async function showState() {
    try {
      showDevice((await askSignedIn('GET', '/api/device')).body);
    } catch (error) {
      at('#robot-state').classList.remove('here');
      at('#robot-state').textContent = error.message;
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
    const told = at('#data-told');
    const show = (text, isBad) => {
      told.classList.toggle('bad', isBad);
      told.textContent = text;
    };
    await once(at('#download'), show, async () => {
      show('Your data is being put together …', false);
      const withPhotos = at('#with-photos').checked;
      const answer = await askSignedIn('POST', `/api/export_data${withPhotos ? '?photos=true' : ''}`);
      const day = new Date().toISOString().slice(0, 10);
      if (answer.blob?.size > 0) save(answer.blob, `garden-${day}.zip`);
      else if (answer.body) save(new Blob([answer.text], { type: 'application/json' }), `garden-${day}.json`);
      const isMailed = answer.status === 202 || !(answer.blob?.size > 0 || answer.body);
      show(isMailed ? 'Your data is on its way to you by e-mail.' : 'Your data was saved by your browser.', false);
    });
  }

  function wireCopy(button) {
    // Browsers have no clipboard on pages without encryption; there the address can be marked with one click.
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(at(`#${button.dataset.copy}`).textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
  }

  const pages = {
    /** A session that the server put into the page. */
    keep() {
      localStorage.setItem('session', at('#session').textContent);
      location.replace('/app/designer/messages');
    },
    async leave() {
      const signal = AbortSignal.timeout(leaveTime);
      if (session) await ask('DELETE', '/api/tokens', { token: session.token.encoded, signal }).catch(() => undefined);
      forget();
      location.replace('/');
    },
    reset() {
      at('[name=id]').value = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop());
    },
    terms() {
      at('form [name=email]').value = sessionStorage.getItem('email') ?? '';
    },
    start() {
      if (!session) {
        location.replace('/sign_in');
        return;
      }
      const { name, email } = session.user ?? {};
      at('#who').textContent = name || email || 'gardener';
      at('#email').textContent = email ?? '';
      at('#download').addEventListener('click', () => void download());
      void showState();
      setInterval(() => {
        if (!document.hidden) void showState();
      }, lookTime);
    },
  };

  document.addEventListener('DOMContentLoaded', () => {
    wireForms();
    for (const button of document.querySelectorAll('[data-copy]')) wireCopy(button);
    pages[document.body.dataset.page]?.();
  });
})();
