import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Certificate } from '../../../src/mqtt/certificate.ts';
import { firstCertificate, secondCertificate, type TestCertificate } from '../../support/broker-certificates.ts';
import { BrokerHarness } from '../../support/broker-harness.ts';
import { packets, RawMqttClient } from '../../support/raw-mqtt-client.ts';

let folder: string;
let broker: BrokerHarness | null = null;
const files = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });

/** Writes the files. `age` (s) gives each version another modification time. */
async function write({ cert, key }: TestCertificate, age: number): Promise<void> {
  for (const [path, text] of [
    [files().cert, cert],
    [files().key, key],
  ] as const) {
    await writeFile(path, text);
    await utimes(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'potager-tls-'));
  await write(firstCertificate, 100);
});
afterEach(async () => {
  await broker?.stop();
  broker = null;
  await rm(folder, { recursive: true });
});

const start = async (options: Parameters<typeof BrokerHarness.start>[0] = {}): Promise<BrokerHarness> => {
  broker = await BrokerHarness.start({ tls: { host: null, port: 0, ...files() }, ...options });
  return broker;
};

describe('MQTT under TLS', () => {
  it('carries messages between a client under TLS and one without', async () => {
    const { connect: connectClient, broker: own } = await start().then((started) => ({
      connect: started.connect.bind(started),
      broker: started,
    }));
    const url = `mqtts://localhost:${own.broker.server.ports[1]}`;
    const robot = await connectClient('device_5', { url, ca: firstCertificate.cert });
    const browser = await connectClient('device_5');
    await robot.subscribe('bot/device_5/from_clients');
    await browser.subscribe('bot/device_5/logs', 1);
    await browser.publish('bot/device_5/from_clients', 'x'.repeat(1_000_000));
    await robot.waitUntil((received) => received.length === 1);
    expect(robot.received[0]?.text).toHaveLength(1_000_000);
    await robot.publish('bot/device_5/logs', '{}', { qos: 1 });
    await browser.waitUntil((received) => received.length === 1);
    expect(String(own.broker.status().message)).toContain(
      `ports ${own.port} and ${own.broker.server.ports[1]}; 2 clients are`,
    );
    own.access.revoked.add('a');
    await own.broker.publish({ topic: 'bot/device_5/from_clients', payload: 'factory_reset' });
    await own.broker.endSessions(5);
    await Promise.all([robot.waitUntilClosed(), browser.waitUntilClosed()]);
    expect(robot.received.at(-1)?.text).toBe('factory_reset');
  });

  it('closes connections without TLS or with an unfinished handshake, and serves the others', async () => {
    const own = await start({ limits: { connectTimeout: 300 } });
    const port = own.broker.server.ports[1] ?? 0;
    const plain = await RawMqttClient.open(port);
    plain.send(packets.connect('device_5', 'device_5:a'));
    const garbage = await RawMqttClient.open(port);
    garbage.send(Buffer.alloc(100_000, 0x55));
    const silent = await RawMqttClient.open(port);
    const half = await RawMqttClient.open(port);
    half.send(Buffer.from('1603010200010001fc0303', 'hex'));
    await Promise.all([
      plain.waitUntilClosed(),
      garbage.waitUntilClosed(),
      silent.waitUntilClosed(),
      half.waitUntilClosed(),
    ]);
    const robot = await own.connect('device_5', { url: `mqtts://localhost:${port}`, ca: firstCertificate.cert });
    expect(own.broker.status().connections).toBe(1);
    await robot.end();
  });

  it('can listen on another address than the port without TLS', async () => {
    const own = await start({ tls: { host: '127.0.0.2', port: 0, ...files() } });
    const port = own.broker.server.ports[1] ?? 0;
    const reached = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port, ca: firstCertificate.cert, servername: 'localhost' }, () => {
          resolve(true);
          socket.destroy();
        }).on('error', () => resolve(false));
      });
    expect([await reached('127.0.0.2'), await reached('127.0.0.1')]).toEqual([true, false]);
  });

  it('rejects TLS 1.1', async () => {
    const own = await start();
    const failure = await new Promise<Error>((resolve) => {
      connect({ port: own.broker.server.ports[1] ?? 0, ca: firstCertificate.cert, maxVersion: 'TLSv1.1' }).on(
        'error',
        resolve,
      );
    });
    expect(failure.message).toMatch(/protocol|alert|version/i);
  });

  it('does not start with a file that cannot be read, or is not a certificate', async () => {
    await rm(files().key);
    await expect(start()).rejects.toThrow(`TLS_KEY: ${files().key} cannot be read (ENOENT).`);
    await write({ cert: firstCertificate.cert, key: 'nonsense' }, 50);
    await expect(start()).rejects.toThrow('TLS_CERT and TLS_KEY are not a certificate and its key in PEM format');
    await write({ cert: firstCertificate.cert, key: secondCertificate.key }, 40);
    await expect(start()).rejects.toThrow('TLS_CERT and TLS_KEY are not a certificate and its key in PEM format');
  });
});

describe('a renewed certificate', () => {
  it('is reloaded when the files change; an invalid one is logged once, and not used', async () => {
    const lines: string[] = [];
    const line = (object: object, message: string) => lines.push(`${message} ${JSON.stringify(object)}`);
    const log = { debug: line, info: line, warn: line, error: line };
    const certificate = await Certificate.read(files(), log);
    const first = certificate.context;
    await certificate.refresh();
    expect(certificate.context).toBe(first);
    await writeFile(files().cert, 'half of a cert');
    await certificate.refresh();
    await certificate.refresh();
    expect(certificate.context).toBe(first);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^the new certificate cannot be used; the old one stays/);
    await rm(files().cert);
    await certificate.refresh();
    expect(lines).toHaveLength(2);
    await write(secondCertificate, 10);
    await certificate.refresh();
    expect(certificate.context).not.toBe(first);
    expect(lines[2]).toBe('the certificate was reloaded {}');
    certificate.watch(20);
    await write(firstCertificate, 5);
    const second = certificate.context;
    await expect.poll(() => certificate.context === second).toBe(false);
    certificate.stop();
  });

  it('is used for new connections', async () => {
    const own = await start({ certificateInterval: 20 });
    const seen = () =>
      new Promise<PeerCertificate>((resolve, reject) => {
        const socket = connect({ port: own.broker.server.ports[1] ?? 0, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate());
          socket.destroy();
        }).on('error', reject);
      });
    expect((await seen()).subject.CN).toBe('one.test');
    const early = await own.connect('device_5', {
      url: `mqtts://localhost:${own.broker.server.ports[1]}`,
      ca: firstCertificate.cert,
    });
    await write(secondCertificate, 10);
    await expect.poll(async () => (await seen()).subject.CN).toBe('two.test');
    expect(early.isConnected).toBe(true);
    await early.end();
  });
});
