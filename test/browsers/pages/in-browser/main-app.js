// A fake app: starts as the vendor's does and reports in `window.report`.
(async () => {
  document.body.dataset.bundle = 'main_app';
  const report = { order: [], problems: [], received: [], isConnected: false, isDone: false };
  window.report = report;
  const stored = localStorage.getItem('session');
  if (!stored) {
    location.assign('/');
    return;
  }
  const { token } = JSON.parse(stored);
  const base = location.protocol + token.unencoded.iss;

  /** Reports every response that is not JSON or not 2xx; the vendor's app would sign out. */
  async function request(path, options = {}) {
    try {
      const response = await fetch(base + path, {
        ...options,
        headers: {
          authorization: token.encoded,
          'x-farmbot-rpc-id': 'never-used',
          accept: 'application/json, text/plain, */*',
          ...options.headers,
        },
      });
      report.order.push(path);
      const text = await response.text();
      if (!response.ok) report.problems.push(`${path}: ${response.status}`);
      if (!response.headers.get('x-farmbot-rpc-id')) report.problems.push(`${path}: no request id`);
      return JSON.parse(text);
    } catch (error) {
      report.problems.push(`${path}: ${error}`);
      return null;
    }
  }

  const groups = [
    [
      'users',
      'device',
      'firmware_config',
      'farmware_envs',
      'farmware_installations',
      'web_app_config',
      'saved_gardens',
      'curves',
    ],
    ['plant_templates', 'peripherals', 'points/?filter=all', 'sensors', 'tools', 'alerts', 'folders'],
    ['sensor_readings', 'sequences', 'point_groups'],
    ['fbos_config', 'regimens', 'pin_bindings'],
    ['farm_events', 'images', 'logs/search', 'webcam_feeds', 'wizard_step_results', 'telemetries', 'scene_objects'],
  ];
  const address = (name) => `/api/${name}${/[?/]/.test(name) ? '' : '/'}`;

  async function listen(fresh) {
    const { mqtt_ws, bot } = fresh.token.unencoded;
    const client = globalThis.mqtt.connect(mqtt_ws, {
      username: bot,
      password: fresh.token.encoded,
      reconnectPeriod: 0,
    });
    await new Promise((resolve, reject) => {
      client.once('connect', resolve);
      client.once('error', reject);
      client.once('close', () => reject(new Error(`no broker at ${mqtt_ws}`)));
    });
    await client.subscribeAsync([`bot/${bot}/sync/#`, 'public_broadcast/#']);
    client.on('message', (topic, payload) => report.received.push({ topic, body: JSON.parse(String(payload)).body }));
    report.isConnected = true;
  }

  async function load() {
    for (const group of groups) await Promise.all(group.map((name) => request(address(name))));
  }

  // A strict policy would forbid this.
  if (new Function('return 6 * 7')() !== 42) report.problems.push('eval failed');
  const worker = new Worker(URL.createObjectURL(new Blob(['postMessage("here")'])));
  await new Promise((resolve) => {
    worker.onmessage = resolve;
  });
  worker.terminate();
  window.logStore.log('started', {}, 'info');

  const fresh = await request('/api/tokens/');
  const further = ['/FEATURE_MIN_VERSIONS.json', '/RELEASE_NOTES.md'].map(async (path) => {
    if (!(await fetch(path)).ok) report.problems.push(`${path} is missing`);
  });
  const farmwares = request('/api/first_party_farmwares').then((list) => {
    if (!Array.isArray(list)) report.problems.push('farmwares are not a list');
  });
  await Promise.all([...further, farmwares, listen(fresh), load()]);
  // Saves a record and waits for its announcement.
  await request('/api/tools/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Trowel' }),
  });
  const end = Date.now() + 5_000;
  while (!report.received.some(({ topic }) => topic.includes('/sync/Tool/')) && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
  report.isDone = true;
})().catch((error) => {
  window.report.problems.push(String(error));
  window.report.isDone = true;
});
