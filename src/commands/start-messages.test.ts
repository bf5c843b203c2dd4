import { describe, expect, it } from 'vitest';
import { version } from '../core/version.ts';
import { readSettings } from '../settings/settings.ts';
import { hasColors } from './server-log.ts';
import type { StartedServer } from './start-messages.ts';
import { readyText } from './start-messages.ts';

const started = { robotAddress: 'http://192.168.1.20:3000', port: 3000, isNew: false, firstAccountCode: null };

const text = (environment: Record<string, string>, server: Partial<StartedServer> = {}): string =>
  readyText(readSettings({ DATA_DIR: '/garden', ...environment }), { ...started, ...server });

describe('the terminal when the server is ready', () => {
  it('names the addresses, the data, the mail, and the way to stop', () => {
    expect(text({}, { isNew: true })).toBe(`
Potager ${version} is running.

  Browser  http://localhost:3000
           http://192.168.1.20:3000 from other devices on your network
  Robot    http://192.168.1.20:3000
  Data     /garden
  Mail     kept in /garden/outbox, because SMTP_URL is not set
           its links are shown here

Open the first address in a browser to create your account.
Press Ctrl+C to stop the server.

`);
  });

  it('shows the code for the first account until there is one', () => {
    expect(text({}, { firstAccountCode: '0123-4567' })).toContain('it needs this code: 0123-4567\n');
    expect(text({})).not.toContain('code');
  });

  it('follows the settings, without secrets', () => {
    const shown = text(
      {
        PUBLIC_URL: 'https://garden.example',
        DATABASE_URL: 'postgres://potager:hunter2@db/potager',
        SMTP_URL: 'smtp://potager:hunter2@mail.example',
        SIGN_UP: 'closed',
      },
      { robotAddress: 'https://garden.example', isNew: true },
    );
    expect(shown).toContain('  Browser  https://garden.example\n  Robot    https://garden.example\n');
    expect(shown).toContain('  Data     the PostgreSQL database of DATABASE_URL\n           files in /garden\n');
    expect(shown).toContain('  Mail     sent by SMTP_URL\n');
    expect(text({ STORAGE_URL: 's3://potager:hunter2@s3.example/garden-photos' })).toContain(
      '  Data     /garden\n           photos in the bucket garden-photos\n',
    );
    expect(shown).toContain('Create an account with "potager user create EMAIL".');
    expect(shown).not.toContain('hunter2');
    expect(text({})).not.toContain('account');
  });

  it('says when robots cannot connect', () => {
    expect(text({ MQTT_PORT: '0' })).toContain('  Robot    no robot can connect, because MQTT_PORT is 0\n');
    expect(text({ MQTT_PORT: '1884' })).toContain('robots always use port 1883 for messages, but MQTT_PORT is 1884');
    const local = text({ HOST: '127.0.0.1' }, { robotAddress: 'http://127.0.0.1:3000' });
    expect(local).toContain('  Browser  http://127.0.0.1:3000\n  Robot    http://127.0.0.1:3000\n');
    expect(local).toContain('only programs on this machine reach it; see HOST');
    expect(text({ HOST: '::1' }, { robotAddress: 'http://[::1]:3000' })).toContain('  Browser  http://[::1]:3000\n');
  });
});

describe('the colors of the log', () => {
  it('need a terminal that shows them', () => {
    const terminal = { isTerminal: true, environment: {} };
    expect(hasColors(terminal)).toBe(true);
    expect(hasColors({ ...terminal, isTerminal: false })).toBe(false);
    expect(hasColors({ ...terminal, environment: { NO_COLOR: '1' } })).toBe(false);
    expect(hasColors({ ...terminal, environment: { NO_COLOR: '' } })).toBe(true);
    expect(hasColors({ ...terminal, environment: { TERM: 'dumb' } })).toBe(false);
  });
});
