import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { mqttLimits } from './limits.ts';
import { PacketReader, TokenBucket } from './packet-reader.ts';

const connect = Buffer.from('100c00044d5154540402003c0000', 'hex');
const ping = Buffer.from('c000', 'hex');

/** Returns a PUBLISH to `t` with a payload of `bytes` bytes. */
function publish(bytes: number): Buffer {
  const length: number[] = [];
  for (let rest = bytes + 3; rest > 0 || length.length === 0; rest = Math.floor(rest / 128))
    length.push((rest % 128) + (rest >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from([0x30, ...length, 0, 1, 0x74]), Buffer.alloc(bytes, 0x61)]);
}

function all(reader: PacketReader): string[] {
  const found: string[] = [];
  for (let packets = reader.read(); packets; packets = reader.read()) found.push(packets.toString('hex'));
  return found;
}

function accepted(bucket: TokenBucket | null = null, isMqtt5 = false): PacketReader {
  const reader = new PacketReader(mqttLimits, bucket);
  reader.write(connect);
  all(reader);
  reader.accept(isMqtt5);
  return reader;
}

/** Returns a PUBLISH of MQTT 5 with QoS 1 to `t` and 8,000 bytes of properties. */
const publishWithProperties = Buffer.concat([Buffer.from('32c73e000174' + '0001' + 'c03e', 'hex'), Buffer.alloc(8000)]);

/** Returns a CONNECT with `own` bytes of properties and, unless 0, `ofWill` bytes of its will's. */
function connectWith(own: number, ofWill = 0, protocolVersion: 4 | 5 = 5): Buffer {
  const properties = (length: number) => ({ properties: { userProperties: { x: 'y'.repeat(length - 6) } } });
  const will = { topic: 't', payload: Buffer.alloc(2000), qos: 0 as const, retain: false };
  return generate({
    cmd: 'connect',
    protocolVersion,
    protocolId: 'MQTT',
    clientId: 'id',
    clean: true,
    ...properties(own),
    ...(ofWill > 0 && { will: { ...will, ...properties(ofWill) } }),
  });
}

describe('a packet reader', () => {
  it('returns only the CONNECT until the client has signed in', () => {
    const reader = new PacketReader(mqttLimits, null);
    reader.write(Buffer.concat([connect, ping, ping]));
    expect(all(reader)).toEqual([connect.toString('hex')]);
    expect(reader.isHolding).toBe(true);
    reader.accept(false);
    expect(all(reader)).toEqual(['c000c000']);
    expect(reader.isHolding).toBe(false);
  });

  it('assembles a CONNECT that arrives byte by byte', () => {
    const reader = new PacketReader(mqttLimits, null);
    const found: string[] = [];
    for (const byte of connect) {
      reader.write(Buffer.from([byte]));
      found.push(...all(reader));
      expect(reader.isHolding).toBe(false);
    }
    expect(found).toEqual([connect.toString('hex')]);
  });

  it('accepts 1 KiB of properties in a CONNECT of MQTT 5, those of its will included', () => {
    const bridge = connectWith(1025);
    bridge[9] = 0x85;
    for (const [packet, error] of [
      [connectWith(1024), null],
      [connectWith(1025), 'too_large'],
      [connectWith(900, 124), null],
      [connectWith(900, 125), 'too_large'],
      [bridge, 'too_large'],
      [connectWith(1025, 1025, 4), null],
    ] as const)
      for (const parts of [[packet], [packet.subarray(0, 20), packet.subarray(20)]]) {
        const reader = new PacketReader(mqttLimits, null);
        const found = parts.flatMap((part) => {
          reader.write(part);
          return all(reader);
        });
        expect(reader.error).toBe(error);
        expect(found).toEqual(error ? [] : [packet.toString('hex')]);
      }
  });

  it('assembles packets that arrive byte by byte', () => {
    const reader = accepted();
    const bytes = Buffer.concat([publish(300), ping, publish(0)]);
    const found: string[] = [];
    for (const byte of bytes) {
      reader.write(Buffer.from([byte]));
      found.push(...all(reader));
    }
    expect(found).toEqual([publish(300), ping, publish(0)].map((packet) => packet.toString('hex')));
    expect(reader.partialBytes).toBe(0);
  });

  it('returns whole packets as one buffer and keeps the beginning of the next', () => {
    const reader = accepted();
    reader.write(Buffer.concat([ping, ping, publish(1000).subarray(0, 500)]));
    expect(all(reader)).toEqual(['c000c000']);
    expect(reader.partialBytes).toBe(500);
    reader.write(Buffer.concat([publish(1000).subarray(500), ping]));
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
  ])('rejects %s', (text, problem, hex?: string) => {
    const reader = new PacketReader(mqttLimits, null);
    reader.write(hex ? Buffer.from(hex, 'hex') : Buffer.from(text));
    expect(reader.read()).toBeNull();
    expect(reader.error).toBe(problem);
  });

  it('accepts a CONNECT of 16,384 bytes', () => {
    const reader = new PacketReader(mqttLimits, null);
    reader.write(Buffer.concat([Buffer.from('10fd7f', 'hex'), Buffer.alloc(16_381)]));
    expect(reader.read()).toHaveLength(16_384);
    expect(reader.error).toBeNull();
  });

  it('accepts later packets of 2 MiB, and rejects a larger one by its header', () => {
    const reader = accepted();
    const largest = publish(2 * 1024 * 1024 - 7);
    expect(largest.length).toBe(2 * 1024 * 1024);
    reader.write(largest);
    expect(reader.read()).toHaveLength(2 * 1024 * 1024);
    reader.write(publish(2 * 1024 * 1024 - 6).subarray(0, 5));
    expect(reader.read()).toBeNull();
    expect(reader.error).toBe('too_large');
  });

  it('rejects a SUBSCRIBE of more than 16 KiB', () => {
    const reader = accepted();
    reader.write(Buffer.from('82fe7f', 'hex'));
    reader.read();
    expect(reader.error).toBe('too_large');
  });

  it('allocates no more for a large packet than has arrived', () => {
    const reader = accepted();
    reader.write(publish(2_000_000).subarray(0, 1000));
    reader.read();
    expect(reader.partialBytes).toBe(1000);
  });

  it('holds back packets beyond the rate limit, and returns them later', () => {
    const time = { now: 0 };
    const reader = accepted(new TokenBucket(mqttLimits, { now: () => time.now }));
    reader.write(Buffer.concat(Array.from({ length: 1100 }, () => publish(1))));
    expect(reader.read()).toHaveLength(1000 * publish(1).length);
    expect(reader.read()).toBeNull();
    expect([reader.isHolding, reader.waitTime()]).toEqual([true, 10]);
    time.now += 500;
    expect(reader.read()).toHaveLength(50 * publish(1).length);
    expect(reader.read()).toBeNull();
    reader.unthrottle();
    expect(reader.read()).toHaveLength(50 * publish(1).length);
    expect([reader.isHolding, reader.waitTime()]).toEqual([false, null]);
  });

  it('returns no more than was requested, and reports that there is more', () => {
    const reader = accepted();
    reader.write(Buffer.concat([...Array.from({ length: 10 }, () => publish(1)), ping, publish(20_000)]));
    expect(reader.read(4)).toHaveLength(4 * publish(1).length);
    expect([reader.hasMore, reader.isHolding]).toEqual([true, true]);
    expect(reader.read(6)).toHaveLength(6 * publish(1).length);
    expect(reader.read(1)).toHaveLength(ping.length + publish(20_000).length);
    expect([reader.hasMore, reader.isHolding]).toEqual([false, false]);
    reader.write(publish(100).subarray(0, 50));
    expect([reader.read(1), reader.hasMore]).toEqual([null, false]);
    reader.write(Buffer.concat([publish(100).subarray(50), ping]));
    expect(reader.read(1)).toHaveLength(publish(100).length);
    expect(reader.hasMore).toBe(true);
    expect(reader.read(1)).toHaveLength(ping.length);
    expect(reader.hasMore).toBe(false);
  });

  it('holds back a packet beyond the rate limit that arrived in parts', () => {
    const time = { now: 0 };
    const reader = accepted(new TokenBucket(mqttLimits, { now: () => time.now }));
    reader.write(Buffer.concat([...Array.from({ length: 1000 }, () => publish(1)), publish(50).subarray(0, 20)]));
    all(reader);
    reader.write(publish(50).subarray(20));
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
    ['messages with properties', publishWithProperties, 8, true],
    ['acknowledgments with properties', Buffer.concat([Buffer.from('40807d', 'hex'), Buffer.alloc(16_000)]), 4, true],
    ['acknowledgments of MQTT 5', Buffer.from('40020001', 'hex'), 20_000, true],
  ])('admits a limited burst of %s', (_name, packet, count, isMqtt5 = false) => {
    const reader = accepted(new TokenBucket(mqttLimits, { now: () => 0 }), isMqtt5);
    let passed = 0;
    for (let index = 0; index < count + 10; index++) {
      reader.write(packet);
      const packets = reader.read();
      if (packets) passed += packets.length / packet.length;
    }
    expect(Math.round(passed)).toBeGreaterThanOrEqual(count - 1);
    expect(Math.round(passed)).toBeLessThanOrEqual(count + 1);
  });
});

function createBucket() {
  const time = { now: 1_000_000 };
  return { time, bucket: new TokenBucket(mqttLimits, { now: () => time.now }) };
}

/** Returns the number of messages that pass before the client has to wait. */
function drain(bucket: TokenBucket, cost = 1): number {
  let count = 0;
  while (bucket.take(cost)) count++;
  return count;
}

describe('a token bucket', () => {
  it('admits a burst of 1,000 messages and then 100 per second', () => {
    const { time, bucket } = createBucket();
    expect(drain(bucket)).toBe(1000);
    expect(bucket.waitTime()).toBe(10);
    time.now += 10;
    expect(drain(bucket)).toBe(1);
    time.now += 1000;
    expect(drain(bucket)).toBe(100);
  });

  it('holds at most 1,000 tokens', () => {
    const { time, bucket } = createBucket();
    drain(bucket);
    time.now += 24 * 60 * 60_000;
    expect(drain(bucket)).toBe(1000);
  });

  it('admits a last packet that costs more than the remaining tokens', () => {
    const { time, bucket } = createBucket();
    expect(drain(bucket, 129)).toBe(8);
    expect(bucket.waitTime()).toBe(330);
    time.now += 320;
    expect(drain(bucket)).toBe(0);
    time.now += 10;
    expect(drain(bucket)).toBe(1);
  });

  it('tolerates a clock that is set back', () => {
    const { time, bucket } = createBucket();
    drain(bucket);
    time.now -= 60_000;
    expect(bucket.waitTime()).toBe(10);
  });
});
