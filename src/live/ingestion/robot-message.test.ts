import { describe, expect, it } from 'vitest';
import { isKeptLog, readMessage, telemetryOf } from './robot-message.ts';

const read = (payload: string | Buffer) => readMessage(Buffer.from(payload));

describe('a message of a robot', () => {
  it('is a JSON object', () => {
    expect(read('{"message":"Grüße","type":"info"}')).toEqual({ message: 'Grüße', type: 'info' });
    for (const text of ['1', '"text"', 'null', 'true', '[]', '[{"type":"info"}]'])
      expect(read(text)).toBe('not_object');
    for (const text of ['', ' ', '{', '{"message":"cut of', "{'a':1}", 'NaN', '{"a":1}x', '\ufeff{}'])
      expect(read(text), text).toBe('not_json');
    expect(read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe('not_utf8');
  });

  it('may be nested as deeply as 64 KiB allow, and no longer', () => {
    expect(read('['.repeat(65_536))).toBe('not_json');
    expect(read(`${'['.repeat(32_768)}${']'.repeat(32_768)}`)).toBe('not_object');
    expect(read(`{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`)).toBeTypeOf('object');
    expect(read(`{"message":"${'x'.repeat(65_522)}"}`)).toBeTypeOf('object');
    expect(read(`{"message":"${'x'.repeat(65_523)}"}`)).toBe('too_long');
    expect(read(Buffer.alloc(1_500_000, 'x'))).toBe('too_long');
  });
});

describe('a log', () => {
  it('is kept when its version and its type are of interest', () => {
    for (const major_version of [7, 15, 99, '8', '15.4'])
      expect(isKeptLog({ major_version, type: 'info' }), String(major_version)).toBe(true);
    for (const major_version of [undefined, null, 6, 0, '6', 'x', {}, [9], true])
      expect(isKeptLog({ major_version, type: 'info' }), String(major_version)).toBe(false);
    for (const type of [undefined, null, 'fun', 'debug']) expect(isKeptLog({ major_version: 8, type })).toBe(false);
    expect(isKeptLog({ major_version: 8, type: 'nonsense' })).toBe(true);
  });
});

describe('a telemetry', () => {
  it('loses the prefix of its names and what is not asked for', () => {
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

  it('is none without a target', () => {
    for (const message of [{}, { telemetry_target: null }, { 'telemetry.target': 'rpi' }, { target: 'rpi' }])
      expect(telemetryOf(message)).toBe(null);
  });
});
