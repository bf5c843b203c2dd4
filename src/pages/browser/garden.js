// The script of the pages for signed-in people: the dashboard, the account, the import and the set-up of a garden. They use the
// public API with the token of the session.
(() => {
  const { session, find, messages, request, requestSignedIn, runOnce, showErrors, showMessage } = window.potager;
  /** Interval of requests for the robot's status, in ms. */
  const pollInterval = 30_000;
  /** A robot seen within this time, in ms, is shown as online. */
  const onlineTime = 15 * 60_000;
  /** Maximum number of notes of each kind in a report that are shown. */
  const maxNotes = 100;

  /** Creates an element with text or elements in it. */
  function element(name, ...content) {
    const created = document.createElement(name);
    created.append(...content);
    return created;
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

  function showDevice({ name, last_saw_api: lastSeen, fbos_version: version, account_seeded_at: seededAt }) {
    const time = lastSeen ? Date.parse(lastSeen) : null;
    const isOnline = time !== null && Date.now() - time < onlineTime;
    find('#robot-state').classList.toggle('online', isOnline);
    find('#robot-state').textContent =
      time === null ? 'No robot has signed in yet.' : `Last seen ${relativeTime(time)}.`;
    find('#robot-name').textContent = name ?? '';
    find('#robot-version').textContent = version ?? 'unknown';
    find('#robot-seen').textContent = time === null ? 'never' : new Date(time).toLocaleString();
    find('#seed-link').hidden = seededAt !== null;
  }

  const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

  async function showStatus() {
    try {
      showDevice((await requestSignedIn('GET', '/api/device')).body);
    } catch (error) {
      find('#robot-state').classList.remove('online');
      find('#robot-state').textContent = error.message;
    }
    try {
      const [points, sequences] = await Promise.all(
        ['/api/points', '/api/sequences'].map((path) => requestSignedIn('GET', path)),
      );
      const plants = points.body.filter(({ pointer_type: type }) => type === 'Plant').length;
      find('#garden-size').textContent =
        `${counted(plants, 'plant', 'plants')} and ${counted(sequences.body.length, 'sequence', 'sequences')}.`;
    } catch (error) {
      find('#garden-size').textContent = error.message;
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

  // Account

  /** Keeps what the pages show of the user. */
  function storeUser(user) {
    Object.assign(session.user, user);
    localStorage.setItem('session', JSON.stringify(session));
  }

  /** Sets the value of a field as the one that is stored. */
  function fill(selector, value) {
    const input = find(selector);
    input.value = value;
    input.defaultValue = value;
  }

  async function initAccount() {
    const zones = find('#timezone');
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const message = find('#load-message');
    try {
      const [users, device] = await Promise.all(
        ['/api/users', '/api/device'].map((path) => requestSignedIn('GET', path)),
      );
      const user = users.body.find(({ id }) => id === session.user.id) ?? users.body[0];
      fill('#name', user.name);
      fill('#email', user.email);
      const zone = device.body.timezone ?? own;
      for (const name of new Set([zone, own, 'UTC', ...Intl.supportedValuesOf('timeZone')]))
        zones.append(new Option(name, name));
      zones.value = zone;
    } catch (error) {
      showMessage(message, error.message, true);
    }
    find('#name-form').addEventListener('saved', ({ detail: { name } }) => {
      fill('#name', name);
      storeUser({ name });
    });
    find('#email-form').addEventListener('saved', ({ target, detail: { email } }) => {
      const wanted = find('#email').value.trim().toLowerCase();
      if (wanted !== email)
        showMessage(
          target.querySelector('.message'),
          `Open the link in the message to ${wanted}; until then ${email} stays your address.`,
        );
      fill('#email', email);
      storeUser({ email });
    });
  }

  // Import

  /** Header values are bytes: a password in UTF-8. */
  const headerText = (text) => String.fromCharCode(...new TextEncoder().encode(text));

  /** The records of a report in words: `farm_events: 3` as "farm events (3)". */
  const countList = (counts) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([key, count]) => `${key.replaceAll('_', ' ')} (${count})`)
      .join(', ');

  function noteList(title, notes) {
    if (notes.length === 0) return [];
    const shown = notes
      .slice(0, maxNotes)
      .map(({ path, message }) => element('li', ...(path ? [element('code', path), ' '] : []), message));
    const rest = notes.length > maxNotes ? [element('p', `And ${notes.length - maxNotes} more.`)] : [];
    const details = element(
      'details',
      element('summary', `${title} (${notes.length})`),
      element('ul', ...shown),
      ...rest,
    );
    details.open = notes.length <= 10;
    return [details];
  }

  function showReport(report) {
    const isDone = !report.check;
    const lines = [
      report.ok
        ? isDone
          ? 'The garden was imported.'
          : 'The file can be imported.'
        : 'The file cannot be imported: nothing was changed.',
      ...(report.ok ? [`${isDone ? 'Imported' : 'Would be imported'}: ${countList(report.taken) || 'nothing'}.`] : []),
      ...(report.ok && countList(report.reused) ? [`Already there: ${countList(report.reused)}.`] : []),
      ...(report.back_up ? [`The former garden was stored on the server as ${report.back_up}.`] : []),
    ];
    find('#report-content').replaceChildren(
      ...lines.map((line) => element('p', line)),
      ...noteList('Problems', report.problems),
      ...noteList('Stored differently', report.changed),
      ...noteList('Left out', report.left_out),
    );
    find('#import-button').parentElement.hidden = isDone || !report.ok;
    const section = find('#report');
    section.hidden = false;
    const heading = section.querySelector('h2');
    heading.tabIndex = -1;
    heading.focus();
  }

  function initImport() {
    const form = find('#import-form');
    const [file, mode, password] = ['#file', '#mode', '#password'].map(find);
    const isReplacing = () => mode.value === 'replace';
    const showPassword = () => {
      find('#replace-password').hidden = !isReplacing();
      password.required = isReplacing();
    };

    async function send(isCheck) {
      const headers = isReplacing() ? { 'x-account-password': headerText(password.value) } : {};
      const query = new URLSearchParams({ mode: mode.value, ...(isCheck ? { check: 'true' } : {}) });
      const response = await request('POST', `/api/import?${query}`, { file: file.files[0], headers });
      if (response.ok) {
        showReport(response.body);
        return;
      }
      // The problems of an unreadable file by their places in it.
      const problems = Object.entries(response.body ?? {}).filter(([key]) => key.startsWith('/'));
      if (problems.length > 0) {
        const notes = problems.map(([path, message]) => ({ path, message: messages(message).join(' ') }));
        showReport({ ok: false, check: true, problems: notes, changed: [], left_out: [] });
      } else {
        find('#report').hidden = true;
        // The message of the server is for clients that send a header.
        if (response.body?.password) response.body.password = 'The password is wrong.';
        showErrors(form, response);
      }
    }

    form.addEventListener('input', () => {
      // A report is about the file that was checked.
      find('#report').hidden = true;
      showPassword();
    });
    form.addEventListener('valid', () =>
      runOnce(form.querySelector('button'), form.querySelector('.message'), () => send(true)),
    );
    find('#import-button').addEventListener('click', ({ currentTarget }) =>
      runOnce(currentTarget, find('#import-message'), async () => {
        showMessage(find('#import-message'), 'Importing …');
        await send(false);
        showMessage(find('#import-message'), '');
      }),
    );
    showPassword();
  }

  const pages = {
    start() {
      const { name, email } = session.user ?? {};
      find('#who').textContent = name || email || 'gardener';
      find('#email').textContent = email ?? '';
      find('#download').addEventListener('click', () => void download());
      void showStatus();
      setInterval(() => {
        if (!document.hidden) void showStatus();
      }, pollInterval);
    },
    account: initAccount,
    import: initImport,
    seed() {
      find('#seed-form').addEventListener('saved', ({ target, detail }) => {
        const link = element('a', 'Go to my garden');
        link.href = '/app';
        target.querySelector('.message').replaceChildren(messages(detail).join(' '), ' ', link);
      });
    },
  };

  document.addEventListener('DOMContentLoaded', () => {
    if (session) void pages[document.body.dataset.page]();
    else location.replace('/sign_in');
  });
})();
