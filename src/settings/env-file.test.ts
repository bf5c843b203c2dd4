import { describe, expect, it } from 'vitest';
import { parseEnvFile } from './env-file.ts';
import { readSettings } from './settings.ts';

describe('a file of settings', () => {
  it('is read as systemd reads it', () => {
    const text = [
      '\uFEFF# comment',
      '; another',
      '',
      'A=Name <a@b.example>',
      'B="Name <a@b.example>"',
      `C='it $HOME "x"'`,
      'D=8080 # web',
      'E=smtp://u:p#w@host\r',
      'F=a\\b "c d" e  ',
      ' G = spaced',
      'export H=1',
      'I="a\\"b\\\\c\\$d\\e"',
      'J=',
      `K='a'"b"c`,
      'A2=a=b',
    ].join('\n');
    expect(parseEnvFile(text)).toEqual({
      A: 'Name <a@b.example>',
      B: 'Name <a@b.example>',
      C: 'it $HOME "x"',
      D: '8080 # web',
      E: 'smtp://u:p#w@host',
      F: 'ab "c d" e',
      G: 'spaced',
      H: '1',
      I: 'a"b\\c$d\\e',
      J: '',
      K: 'abc',
      A2: 'a=b',
    });
  });

  it('names the line that cannot be read, without its content', () => {
    expect(() => parseEnvFile('PORT=1\nhunter2\n')).toThrow(/^line 2 is not NAME=VALUE\.$/);
    expect(() => parseEnvFile('AI_KEY="hunter2')).toThrow(/^line 1 has no closing "\.$/);
  });

  it('gives the sender in each notation that is documented', () => {
    const sender = 'My garden <garden@example.com>';
    const texts = [
      sender,
      ...['MAIL_FROM=My garden <garden@example.com>', 'MAIL_FROM="My garden <garden@example.com>"'].map((line) =>
        String(parseEnvFile(line).MAIL_FROM),
      ),
      // `docker run --env-file` leaves the quotes.
      '"My garden <garden@example.com>"',
      "'My garden <garden@example.com>'",
    ];
    for (const MAIL_FROM of texts) expect(readSettings({ MAIL_FROM }).MAIL_FROM).toBe(sender);
    const quoted = '"Garden, the" <garden@example.com>';
    expect(readSettings({ MAIL_FROM: quoted }).MAIL_FROM).toBe(quoted);
  });
});
