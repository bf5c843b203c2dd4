import { describe, expect, it } from 'vitest';
import { brokerLimits } from './broker-limits.ts';
import { MessageAllowance } from './message-allowance.ts';
import { PacketReader } from './packet-reader.ts';

const connect = Buffer.from('100c00044d5154540402003c0000', 'hex');
const ping = Buffer.from('c000', 'hex');

/** A PUBLISH to `t` with a payload of so many bytes. */
function publish(bytes: number): Buffer {
  const length: number[] = [];
  for (let rest = bytes + 3; rest > 0 || length.length === 0; rest = Math.floor(rest / 128))
    length.push((rest % 128) + (rest >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from([0x30, ...length, 0, 1, 0x74]), Buffer.alloc(bytes, 0x61)]);
}

function all(reader: PacketReader): string[] {
  const found: string[] = [];
  for (let run = reader.next(); run; run = reader.next()) found.push(run.toString('hex'));
  return found;
}

function accepted(allowance: MessageAllowance | null = null): PacketReader {
  const reader = new PacketReader(brokerLimits, allowance);
  reader.take(connect);
  all(reader);
  reader.accept();
  return reader;
}

describe('reading packets', () => {
  it('gives only the CONNECT until the client was let in', () => {
    const reader = new PacketReader(brokerLimits, null);
    reader.take(Buffer.concat([connect, ping, ping]));
    expect(all(reader)).toEqual([connect.toString('hex')]);
    expect(reader.isHolding).toBe(true);
    reader.accept();
    expect(all(reader)).toEqual(['c000c000']);
    expect(reader.isHolding).toBe(false);
  });

  it('puts a CONNECT together that comes byte by byte', () => {
    const reader = new PacketReader(brokerLimits, null);
    const found: string[] = [];
    for (const byte of connect) {
      reader.take(Buffer.from([byte]));
      found.push(...all(reader));
      expect(reader.isHolding).toBe(false);
    }
    expect(found).toEqual([connect.toString('hex')]);
  });

  it('puts packets together that come byte by byte', () => {
    const reader = accepted();
    const bytes = Buffer.concat([publish(300), ping, publish(0)]);
    const found: string[] = [];
    for (const byte of bytes) {
      reader.take(Buffer.from([byte]));
      found.push(...all(reader));
    }
    expect(found).toEqual([publish(300), ping, publish(0)].map((packet) => packet.toString('hex')));
    expect(reader.unfinished).toBe(0);
  });

  it('gives whole packets in one piece and keeps the beginning of the next', () => {
    const reader = accepted();
    reader.take(Buffer.concat([ping, ping, publish(1000).subarray(0, 500)]));
    expect(all(reader)).toEqual(['c000c000']);
    expect(reader.unfinished).toBe(500);
    reader.take(Buffer.concat([publish(1000).subarray(500), ping]));
    expect(all(reader)).toEqual([publish(1000).toString('hex'), 'c000']);
  });

  it.each([
    ['GET / HTTP/1.1', 'not_mqtt'],
    ['a TLS hello', 'not_mqtt', '1603010200'],
    ['a ping', 'not_mqtt', 'c000'],
    ['a CONNECT with flags', 'not_mqtt', '110c'],
    ['a length of five bytes', 'not_mqtt', '10ffffffff01'],
    ['a CONNECT of 100 MB', 'too_large', '1080c2d72f'],
    ['a CONNECT of 16,385 bytes', 'too_large', '10fe7f'],
  ])('refuses %s', (text, refusal, hex?: string) => {
    const reader = new PacketReader(brokerLimits, null);
    reader.take(hex ? Buffer.from(hex, 'hex') : Buffer.from(text));
    expect(reader.next()).toBeNull();
    expect(reader.refusal).toBe(refusal);
  });

  it('takes a CONNECT of 16,384 bytes', () => {
    const reader = new PacketReader(brokerLimits, null);
    reader.take(Buffer.concat([Buffer.from('10fd7f', 'hex'), Buffer.alloc(16_381)]));
    expect(reader.next()).toHaveLength(16_384);
    expect(reader.refusal).toBeNull();
  });

  it('takes 2 MiB after that and refuses a byte more before it comes', () => {
    const reader = accepted();
    const largest = publish(2 * 1024 * 1024 - 7);
    expect(largest.length).toBe(2 * 1024 * 1024);
    reader.take(largest);
    expect(reader.next()).toHaveLength(2 * 1024 * 1024);
    reader.take(publish(2 * 1024 * 1024 - 6).subarray(0, 5));
    expect(reader.next()).toBeNull();
    expect(reader.refusal).toBe('too_large');
  });

  it('takes 16 KiB of filters', () => {
    const reader = accepted();
    reader.take(Buffer.from('82fe7f', 'hex'));
    reader.next();
    expect(reader.refusal).toBe('too_large');
  });

  it('keeps little of a large packet until it comes', () => {
    const reader = accepted();
    reader.take(publish(2_000_000).subarray(0, 1000));
    reader.next();
    expect(reader.unfinished).toBe(1000);
  });

  it('holds what is more than the allowance, and gives it later', () => {
    const time = { now: 0 };
    const reader = accepted(new MessageAllowance(brokerLimits, { now: () => time.now }));
    reader.take(Buffer.concat(Array.from({ length: 1100 }, () => publish(1))));
    expect(reader.next()).toHaveLength(1000 * publish(1).length);
    expect(reader.next()).toBeNull();
    expect([reader.isHolding, reader.wait()]).toEqual([true, 10]);
    time.now += 500;
    expect(reader.next()).toHaveLength(50 * publish(1).length);
    expect(reader.next()).toBeNull();
    reader.hurry();
    expect(reader.next()).toHaveLength(50 * publish(1).length);
    expect([reader.isHolding, reader.wait()]).toEqual([false, null]);
  });

  it('gives no more than is asked for, and tells that there is more', () => {
    const reader = accepted();
    reader.take(Buffer.concat([...Array.from({ length: 10 }, () => publish(1)), ping, publish(20_000)]));
    expect(reader.next(4)).toHaveLength(4 * publish(1).length);
    expect([reader.hasMore, reader.isHolding]).toEqual([true, true]);
    expect(reader.next(6)).toHaveLength(6 * publish(1).length);
    expect(reader.next(1)).toHaveLength(ping.length + publish(20_000).length);
    expect([reader.hasMore, reader.isHolding]).toEqual([false, false]);
    reader.take(publish(100).subarray(0, 50));
    expect([reader.next(1), reader.hasMore]).toEqual([null, false]);
    reader.take(Buffer.concat([publish(100).subarray(50), ping]));
    expect(reader.next(1)).toHaveLength(publish(100).length);
    expect(reader.hasMore).toBe(true);
    expect(reader.next(1)).toHaveLength(ping.length);
    expect(reader.hasMore).toBe(false);
  });

  it('holds a packet that came in parts and is more than the allowance', () => {
    const time = { now: 0 };
    const reader = accepted(new MessageAllowance(brokerLimits, { now: () => time.now }));
    reader.take(Buffer.concat([...Array.from({ length: 1000 }, () => publish(1)), publish(50).subarray(0, 20)]));
    all(reader);
    reader.take(publish(50).subarray(20));
    expect(all(reader)).toEqual([]);
    expect(reader.isHolding).toBe(true);
    time.now += 1000;
    expect(all(reader)).toEqual([publish(50).toString('hex')]);
  });

  it.each([
    ['messages', publish(100), 1000],
    ['large messages', publish(2_000_000), 9],
    ['lists of filters', Buffer.concat([Buffer.from('82807d', 'hex'), Buffer.alloc(16_000)]), 4],
    ['short lists of filters', Buffer.from('8206000100016100', 'hex'), 125],
    ['pings', ping, 20_000],
  ])('lets so many %s pass at once', (_name, packet, count) => {
    const reader = accepted(new MessageAllowance(brokerLimits, { now: () => 0 }));
    let passed = 0;
    for (let index = 0; index < count + 10; index++) {
      reader.take(packet);
      const run = reader.next();
      if (run) passed += run.length / packet.length;
    }
    expect(Math.round(passed)).toBeGreaterThanOrEqual(count - 1);
    expect(Math.round(passed)).toBeLessThanOrEqual(count + 1);
  });
});
