import { describe, expect, it } from 'vitest';
import { textLogLine } from './text-log.ts';

const plain = { isDetailed: false, hasColors: false };

/** Writes a line as pino does. Times of this machine's zone vary, so the time is invalid, which shows none. */
const written = (level: number, msg: string, fields: object = {}, options = plain): string =>
  textLogLine(`${JSON.stringify({ level, time: 'x', ...fields, msg })}\n`, options);

describe('a line of the log for people', () => {
  it('begins with the local time', () => {
    const line = JSON.stringify({ level: 30, time: new Date(2026, 3, 1, 6, 30, 5).toISOString(), msg: 'stopped' });
    expect(textLogLine(line, plain)).toBe('2026-04-01 06:30:05  Stopped.\n');
  });

  it('is a sentence with the reason and the subject, without fields for developers', () => {
    expect(written(30, 'an account was created', { user: 3, device: 4, request: 'a1-7', ms: 12 })).toBe(
      '  An account was created (user 3, device 4).\n',
    );
    expect(written(40, 'a photo could not be fetched', { device: 4, reason: 'Status 404.' })).toBe(
      '  Warning: A photo could not be fetched: Status 404 (device 4).\n',
    );
    expect(written(30, 'the message broker refused a client', { reason: 'bad_token', address: '192.168.1.9' })).toBe(
      '  The message broker refused a client: bad token (address 192.168.1.9).\n',
    );
    expect(written(40, 'Did you mean DATA_DIR?')).toBe('  Warning: Did you mean DATA_DIR?\n');
    expect(written(50, 'failed', { kind: 'welcome_mail', job: 7, error: 'Error: connect ECONNREFUSED' })).toBe(
      '  Error: Failed: connect ECONNREFUSED (kind welcome_mail).\n',
    );
  });

  it('shows the most specific reason, and no stack', () => {
    const problem = 'Failure: Try again.\n    at a (a.js:1:1)\n    at b (b.js:1:1)';
    const fields = { request: 'a1-7', problem, cause: 'Error: connect ECONNREFUSED', path: '/api/points' };
    expect(written(40, 'a request failed', fields)).toBe(
      '  Warning: A request failed: connect ECONNREFUSED (path /api/points).\n',
    );
    expect(written(50, 'a request failed', { problem })).toBe('  Error: A request failed: Try again.\n');
  });

  it('shows everything in detail', () => {
    const problem = 'TypeError: x is undefined\n    at a (a.js:1:1)';
    expect(written(50, 'a request failed', { request: 'a1-7', problem }, { ...plain, isDetailed: true })).toBe(
      '  Error: A request failed: TypeError: x is undefined (request a1-7).\n      at a (a.js:1:1)\n',
    );
    expect(written(20, 'request completed', { status: 200, ms: 3 }, { ...plain, isDetailed: true })).toBe(
      '  Debug: Request completed (status 200, ms 3).\n',
    );
  });

  it('has a link whole on a line of its own', () => {
    const link = `http://192.168.1.20:3000/password_reset/${'eyJ0eXAi.'.repeat(150)}x`;
    expect(written(30, 'a mail was written', { file: '/data/outbox/a.eml', link })).toBe(
      `  A mail was written (file /data/outbox/a.eml).\n  ${link}\n`,
    );
  });

  it('cannot control the terminal, and is one line', () => {
    const text = 'a\u001b[2Jb\r\nc\u2028d\u202ee';
    const line = written(30, text, { topic: text, reason: text, link: text });
    expect(line.split('\n')).toHaveLength(3);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for these
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028\u202e]/);
    expect(written(30, 'm', { topic: 'x'.repeat(2000) }).length).toBeLessThan(600);
  });

  it('has colors where they are shown', () => {
    const colored = { ...plain, hasColors: true };
    expect(written(40, 'm', {}, colored)).toContain('\u001b[33mWarning:\u001b[0m M.');
    expect(written(50, 'm', {}, colored)).toContain('\u001b[31mError:\u001b[0m M.');
  });
});
