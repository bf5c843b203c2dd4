import { describe, expect, it } from 'vitest';
import { isStorableLog, parseMessage, telemetryOf, withTime } from './robot-message.ts';

const parse = (payload: string | Buffer) => parseMessage(Buffer.from(payload));

describe('parseMessage', () => {
  it('accepts JSON objects only', () => {
    expect(parse('{"message":"Grüße","type":"info"}')).toEqual({ message: 'Grüße', type: 'info' });
    for (const text of ['1', '"text"', 'null', 'true', '[]', '[{"type":"info"}]'])
      expect(parse(text)).toBe('not_object');
    for (const text of ['', ' ', '{', '{"message":"cut of', "{'a':1}", 'NaN', '{"a":1}x', '\ufeff{}'])
      expect(parse(text), text).toBe('not_json');
    expect(parse(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe('not_utf8');
  });

  it('accepts at most 64 KiB, nested to any depth', () => {
    expect(parse('['.repeat(65_536))).toBe('not_json');
    expect(parse(`${'['.repeat(32_768)}${']'.repeat(32_768)}`)).toBe('not_object');
    expect(parse(`{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`)).toBeTypeOf('object');
    expect(parse(`{"message":"${'x'.repeat(65_522)}"}`)).toBeTypeOf('object');
    expect(parse(`{"message":"${'x'.repeat(65_523)}"}`)).toBe('too_long');
    expect(parse(Buffer.alloc(1_500_000, 'x'))).toBe('too_long');
  });
});

describe('isStorableLog', () => {
  it('depends on the version and the type', () => {
    for (const major_version of [7, 15, 99, '8', '15.4'])
      expect(isStorableLog({ major_version, type: 'info' }), String(major_version)).toBe(true);
    for (const major_version of [undefined, null, 6, 0, '6', 'x', {}, [9], true])
      expect(isStorableLog({ major_version, type: 'info' }), String(major_version)).toBe(false);
    for (const type of [undefined, null, 'fun', 'debug']) expect(isStorableLog({ major_version: 8, type })).toBe(false);
    expect(isStorableLog({ major_version: 8, type: 'nonsense' })).toBe(true);
  });
});

describe('withTime', () => {
  it('has the time in seconds, or none', () => {
    const log = { message: 'Moved', type: 'info' };
    expect(withTime({ ...log, created_at: 1_700_000_000.5 })).toEqual({ ...log, created_at: 1_700_000_000 });
    for (const created_at of [undefined, null, 'yesterday', 1e20])
      expect(Object.keys(withTime({ ...log, created_at }))).toEqual(['message', 'type']);
  });
});

describe('telemetryOf', () => {
  it('removes the prefix of the names, and other fields', () => {
    expect(
      telemetryOf({
        telemetry_target: 'rpi3',
        telemetry_soc_temp: 40,
        telemetry_wifi_level: -50,
        telemetry_fbos_version: '1',
        fbos_version: '1',
        uptime: 4,
        device: { id: 1 },
      }),
    ).toEqual({ target: 'rpi3', soc_temp: 40 });
  });

  it('returns null without a target', () => {
    for (const message of [{}, { telemetry_target: null }, { 'telemetry.target': 'rpi' }, { target: 'rpi' }])
      expect(telemetryOf(message)).toBe(null);
  });
});
