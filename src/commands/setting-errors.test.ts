import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { readSettings } from '../settings/settings.ts';
import { settingErrorMessage } from './setting-errors.ts';

const url = 'postgres://potager:hunter2@db.example:5433/garden';

const message = (error: unknown, environment: Record<string, string> = {}): string | null =>
  settingErrorMessage(error, readSettings({ DATA_DIR: '/garden', ...environment }));

const systemError = (code: string, properties: object = {}): Error =>
  Object.assign(new Error(`listen ${code}`), { code, ...properties });

function unavailable(cause: Error): Failure {
  const failure = new Failure('unavailable');
  failure.cause = cause;
  return failure;
}

describe('errors that a setting causes', () => {
  it('name the port', () => {
    const listen = (code: string, port: number) => systemError(code, { syscall: 'listen', port });
    expect(message(listen('EADDRINUSE', 3000))).toMatch(/^PORT: port 3000 is in use/);
    expect(message(listen('EADDRINUSE', 1883))).toMatch(/^MQTT_PORT: port 1883 is in use/);
    const tls = { TLS_CERT: '/c', TLS_KEY: '/k' };
    expect(message(listen('EADDRINUSE', 8883), tls)).toMatch(/^MQTTS_PORT: port 8883 is in use/);
    expect(message(listen('EACCES', 80), { PORT: '80' })).toMatch(/^PORT: port 80 may only be opened by an admin/);
  });

  it('name the host', () => {
    const absent = systemError('EADDRNOTAVAIL', { syscall: 'listen', address: '203.0.113.9', port: 3000 });
    expect(message(absent, { HOST: '203.0.113.9' })).toMatch(/^HOST: 203\.0\.113\.9 is not/);
    expect(message(absent, { TLS_HOST: '203.0.113.9' })).toMatch(/^TLS_HOST: 203\.0\.113\.9 is not/);
    const unknown = systemError('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'shed.example' });
    expect(message(unknown, { HOST: 'shed.example' })).toMatch(/^HOST: shed\.example is not/);
    expect(message(unknown)).toBeNull();
  });

  it('name the database without its password', () => {
    const environment = { DATABASE_URL: url };
    const refused = message(unavailable(systemError('ECONNREFUSED')), environment);
    expect(refused).toBe(
      'DATABASE_URL: PostgreSQL at db.example:5433 does not respond (ECONNREFUSED). Start it, or correct the URL.',
    );
    expect(message(unavailable(systemError('ENOTFOUND')), environment)).toMatch(
      /^DATABASE_URL: the host db\.example was not found/,
    );
    const denied = Object.assign(new Error('password authentication failed for user "potager"'), { code: '28P01' });
    expect(message(denied, environment)).toBe(
      'DATABASE_URL: password authentication failed for user "potager". Correct the user and the password in the URL.',
    );
    const missing = Object.assign(new Error('database "garden" does not exist'), { code: '3D000' });
    expect(message(missing, environment)).toBe(
      'DATABASE_URL: database "garden" does not exist. Create it with createdb, or correct the URL.',
    );
  });

  it('name the data folder', () => {
    expect(message(systemError('EACCES', { path: '/garden' }))).toMatch(/^DATA_DIR: \/garden cannot be written/);
    expect(message(systemError('EROFS', { path: '/garden' }))).toMatch(
      /read-only\. .* ReadWritePaths of the systemd unit/,
    );
    expect(message(systemError('ENOENT', { path: '/garden/keys' }))).toMatch(/^DATA_DIR: \/garden\/keys cannot/);
    expect(message(unavailable(systemError('ENOTDIR', { path: '/garden/x' })))).toMatch(
      /^DATA_DIR: \/garden\/x is not/,
    );
    expect(message(systemError('EEXIST', { path: '/garden' }))).toMatch(/^DATA_DIR: \/garden is not a folder/);
  });

  it('are not confused with others', () => {
    expect(message(new Error('x'))).toBeNull();
    for (const path of ['/other', '/garden-web', '/gar']) expect(message(systemError('EACCES', { path }))).toBeNull();
    expect(message(new Failure('not_found'), { DATABASE_URL: url })).toBeNull();
    expect(message(unavailable(systemError('SQLITE_FULL')))).toBeNull();
  });
});
