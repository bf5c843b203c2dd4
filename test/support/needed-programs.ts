import { existsSync } from 'node:fs';
import { beforeAll } from 'vitest';
import { browserProgram } from './browser-program.ts';

/** The programs that tests in a folder start, with the packages of Debian that have them. */
const needs = [
  { folder: 'test/browsers', program: browserProgram, from: 'chromium-headless-shell or chromium' },
  { folder: 'test/browsers/every-browser', program: '/usr/bin/firefox-esr', from: 'firefox-esr' },
  { folder: 'test/browsers/every-browser', program: '/usr/bin/WebKitWebDriver', from: 'webkit2gtk-driver' },
  { folder: 'test/browsers/every-browser', program: '/usr/bin/Xvfb', from: 'xvfb' },
  { folder: 'test/peers/rabbitmq', program: '/usr/lib/rabbitmq', from: 'rabbitmq-server' },
  { folder: 'test/peers/mosquitto', program: '/usr/bin/mosquitto_sub', from: 'mosquitto-clients' },
  { folder: 'test/peers/mosquitto', program: '/usr/sbin/mosquitto', from: 'mosquitto' },
  { folder: 'test/peers/mosquitto', program: '/usr/lib/python3/dist-packages/paho', from: 'python3-paho-mqtt' },
  { folder: 'test/peers/rabbitmq', program: '/usr/sbin/mosquitto', from: 'mosquitto' },
  { folder: 'test/peers/home-assistant', program: '/usr/sbin/mosquitto', from: 'mosquitto' },
  { folder: 'test/peers/home-assistant', program: '/usr/lib/python3/dist-packages/yaml', from: 'python3-yaml' },
  { folder: 'test/peers/shells', program: '/usr/bin/fish', from: 'fish' },
  { folder: 'test/peers/shells', program: '/usr/bin/zsh', from: 'zsh' },
  { folder: 'test/peers/postgresql-15', program: '/usr/lib/postgresql/15/bin/postgres', from: 'postgresql-15' },
  { folder: 'test/peers/prometheus', program: '/usr/bin/promtool', from: 'prometheus' },
  { folder: 'test/peers/pgbouncer', program: '/usr/sbin/pgbouncer', from: 'pgbouncer' },
  { folder: 'test/peers/zip', program: '/usr/bin/zip', from: 'zip' },
  { folder: 'test/peers/deploy', program: '/usr/lib/rabbitmq', from: 'rabbitmq-server' },
  { folder: 'test/peers/deploy', program: '/usr/bin/caddy', from: 'caddy' },
  { folder: 'test/peers/deploy', program: '/usr/sbin/nginx', from: 'nginx' },
  { folder: 'test/peers/deploy', program: '/usr/bin/docker-compose', from: 'docker-compose' },
  { folder: 'test/peers/deploy', program: '/usr/bin/systemd-analyze', from: 'systemd' },
];

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures of a hook there
beforeAll(({}, { file }) => {
  const missing = needs.filter(({ folder, program }) => file.filepath.includes(`/${folder}/`) && !existsSync(program));
  const list = missing.map(({ program, from }) => `${program} (Debian: ${from})`).join(', ');
  if (list) throw new Error(`These tests start programs that are not on this machine: ${list}`);
});
