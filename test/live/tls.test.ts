import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Certificate } from '../../src/mqtt/certificate.ts';
import { firstCertificate, secondCertificate, type TestCertificate } from '../support/broker-certificates.ts';
import { BrokerHarness } from '../support/broker-harness.ts';
import { packets, RawMqttClient } from '../support/raw-mqtt-client.ts';

let folder: string;
let broker: BrokerHarness | null = null;
const files = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });

/** Writes the files; `age` keeps two writings within one tick of the file system's clock apart. */
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
  broker = await BrokerHarness.start({ tls: { port: 0, ...files() }, ...options });
  return broker;
};

describe('MQTT under TLS', () => {
  it('carries messages between a client under TLS and one without', async () => {
    const { connect: sign, broker: own } = await start().then((started) => ({
      connect: started.connect.bind(started),
      broker: started,
    }));
    const url = `mqtts://localhost:${own.broker.server.ports[1]}`;
    const robot = await sign('device_5', { url, ca: firstCertificate.cert });
    const browser = await sign('device_5');
    await robot.subscribe('bot/device_5/from_clients');
    await browser.subscribe('bot/device_5/logs', 1);
    await browser.publish('bot/device_5/from_clients', 'x'.repeat(1_000_000));
    await robot.waitUntil((heard) => heard.length === 1);
    expect(robot.received[0]?.text).toHaveLength(1_000_000);
    await robot.publish('bot/device_5/logs', '{}', { qos: 1 });
    await browser.waitUntil((heard) => heard.length === 1);
    expect(own.broker.status().message).toContain(`ports ${own.port} and ${own.broker.server.ports[1]}; 2 clients are`);
    own.access.revoked.add('a');
    await own.broker.publish({ topic: 'bot/device_5/from_clients', payload: 'factory_reset' });
    await own.broker.endSessions(5);
    await Promise.all([robot.waitUntilClosed(), browser.waitUntilClosed()]);
    expect(robot.received.at(-1)?.text).toBe('factory_reset');
  });

  it('cuts who speaks no TLS, or does not finish its handshake, and serves the others', async () => {
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

  it('does not speak TLS 1.1', async () => {
    const own = await start();
    const failure = await new Promise<Error>((resolve) => {
      connect({ port: own.broker.server.ports[1] ?? 0, ca: firstCertificate.cert, maxVersion: 'TLSv1.1' }).on(
        'error',
        resolve,
      );
    });
    expect(failure.message).toMatch(/protocol|alert|version/i);
  });

  it('does not start with a file that cannot be read, or is no certificate', async () => {
    await rm(files().key);
    await expect(start()).rejects.toThrow(`TLS_KEY: ${files().key} cannot be read (ENOENT).`);
    await write({ cert: firstCertificate.cert, key: 'nonsense' }, 50);
    await expect(start()).rejects.toThrow('TLS_CERT and TLS_KEY are not a certificate and its key in PEM format');
    await write({ cert: firstCertificate.cert, key: secondCertificate.key }, 40);
    await expect(start()).rejects.toThrow('TLS_CERT and TLS_KEY are not a certificate and its key in PEM format');
  });
});

describe('a certificate that renews itself', () => {
  it('is read again when the files change; broken ones are told of once, and the old one stays', async () => {
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
    for (let tries = 0; tries < 100 && certificate.context === second; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(certificate.context).not.toBe(second);
    certificate.stop();
  });

  it('is what the next client sees', async () => {
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
    let name: unknown;
    for (let tries = 0; tries < 100 && name !== 'two.test'; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      name = (await seen()).subject.CN;
    }
    expect(name).toBe('two.test');
    expect(early.isConnected).toBe(true);
    await early.end();
  });
});
