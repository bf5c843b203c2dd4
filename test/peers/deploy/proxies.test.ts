import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { secondCertificate } from '../../support/broker-certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { solidColorPicture } from '../../support/photo-upload.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';
import { begin, done, finish, piece, StandInModel } from '../../support/stand-in-model.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { deployedFile, domain, parseSettings, rewrite, unitValues } from './deployed-files.ts';
import { ProxyServer, readResponse } from './proxy-server.ts';
import { formType, sendUpload } from './upload-form.ts';

/** An address of this machine under which it is reached as others reach it. */
const lanAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

/** A proxy, a Potager behind it with the settings of deploy/potager.env, and an account. */
interface Installation {
  readonly proxy: ProxyServer;
  readonly server: ServerProcess;
  readonly model: StandInModel;
  readonly account: SignedInAccount;
  /** Runs the commands of deploy/potager-certificate.service. */
  copyCertificate(): void;
}

async function install(startProxy: (upstream: number) => Promise<ProxyServer>): Promise<Installation> {
  const port = await freePort();
  const proxy = await startProxy(port);
  try {
    return await installBehind(proxy, port);
  } catch (error) {
    await proxy.stop();
    throw error;
  }
}

async function installBehind(proxy: ProxyServer, port: number): Promise<Installation> {
  const [mqttPort, mqttsPort] = [await freePort(), await freePort()];
  const folder = await createTempFolder();
  const copyCertificate = (): void => {
    const { uid, gid } = process.getuid ? { uid: process.getuid(), gid: process.getgid?.() } : { uid: 0, gid: 0 };
    for (const line of unitValues(deployedFile('potager-certificate.service'), 'ExecStart')) {
      const command = rewrite(line, { '-o potager': `-o ${uid}`, '-g potager': `-g ${gid}`, '/etc/potager': folder });
      const env = { ...process.env, CERTIFICATE: proxy.files.cert, KEY: proxy.files.key };
      execFileSync('sh', ['-euc', command], { env });
    }
  };
  mkdirSync(join(folder, 'tls'));
  copyCertificate();
  const model = new StandInModel();
  const settings = rewrite(deployedFile('potager.env'), {
    'PORT=3000': `PORT=${port}`,
    'MQTT_PORT=1883': `MQTT_PORT=${mqttPort}`,
    'MQTTS_PORT=8883': `MQTTS_PORT=${mqttsPort}`,
    '/etc/potager': folder,
  });
  const env = { ...parseSettings(settings), AI_URL: await model.start() };
  const server = new ServerProcess(folder, port, env, cheapPasswords);
  await server.start();
  const account = await signUp({ client: server.client, outbox: null }, 'ada');
  return { proxy, server, model, account, copyCertificate };
}

async function uninstall({ proxy, server, model }: Installation): Promise<void> {
  await proxy.stop();
  await server.remove();
  await model.stop();
}

/** A JPEG of a given size: decoders ignore bytes after the picture. */
const pictureOfSize = async (bytes: number): Promise<Buffer> => {
  const picture = await solidColorPicture(200);
  return Buffer.concat([picture, Buffer.alloc(bytes - picture.length)]);
};

describe.each([
  ['Caddy', ProxyServer.caddy],
  ['nginx', ProxyServer.nginx],
])('Potager behind %s', (name, startProxy) => {
  const installation = suiteFixture(() => install(startProxy), uninstall);
  const wssOptions = () => {
    const { proxy, account } = installation;
    const wsOptions = { ...proxy.tls, headers: { host: domain } };
    return { username: account.bot, password: account.token, wsOptions };
  };

  it('serves pages over HTTPS and HTTP/2, and redirects HTTP', async () => {
    const { proxy } = installation;
    const page = await proxy.send('/console/sign-in', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Potager</title>');
    expect(page.headers['strict-transport-security']).toBe('max-age=31536000');

    const session = connectHttp2(`https://127.0.0.1:${proxy.ports.https}`, proxy.tls);
    const stream = session.request({ ':path': '/health', ':authority': domain });
    const [headers] = await once(stream, 'response');
    expect([session.alpnProtocol, headers[':status']]).toEqual(['h2', 200]);
    session.close();

    const plain = get({ host: '127.0.0.1', port: proxy.ports.http, path: '/app?a=1', headers: { host: domain } });
    const redirect = await readResponse(plain);
    // After 301, clients send a GET instead of a POST.
    expect(redirect.status).toBe(308);
    expect(redirect.headers.location).toMatch(/^https:\/\/garden\.example(:\d+)?\/app\?a=1$/);
  });

  it('puts its address into tokens', async () => {
    const { email, password } = installation.account;
    const body = JSON.stringify({ user: { email, password } });
    const { json } = await installation.proxy.send('/api/tokens', { method: 'POST', body });
    expect(textAt(json, 'token.unencoded.iss')).toBe(`//${domain}:443`);
    expect(textAt(json, 'token.unencoded.mqtt')).toBe(domain);
    expect(textAt(json, 'token.unencoded.mqtt_ws')).toBe(`wss://${domain}:443/ws`);
  });

  it('carries MQTT over WebSockets, and MQTT over TLS beside it with the same certificate', async () => {
    const { proxy, server, account } = installation;
    const browser = await MqttTestClient.connect(`wss://127.0.0.1:${proxy.ports.https}/ws`, wssOptions());
    await browser.subscribe(`bot/${account.bot}/#`);
    const port = Number(server.env.MQTTS_PORT);
    const own = { username: account.bot, password: account.token, ...proxy.tls };
    const robot = await MqttTestClient.connect(`mqtts://127.0.0.1:${port}`, own);
    await robot.publish(`bot/${account.bot}/status`, 'x'.repeat(200_000), { qos: 1 });
    const { text } = await browser.first(`bot/${account.bot}/status`);
    expect(text).toHaveLength(200_000);
    expect((await proxy.peer(port)).fingerprint256).toBe((await proxy.peer()).fingerprint256);
    await Promise.all([browser.end(), robot.end()]);
  });

  it('leaves only the port for MQTT over TLS open to other machines', async () => {
    const { PORT, MQTT_PORT, MQTTS_PORT } = installation.server.env;
    const isOpen = (port: string | undefined, address = lanAddress ?? '') =>
      new Promise<boolean>((resolve) => {
        const socket = connect(Number(port), address, () => {
          resolve(true);
          socket.destroy();
        }).on('error', () => resolve(false));
      });
    const states = [MQTTS_PORT, MQTT_PORT, PORT].map((port) => isOpen(port));
    expect(await Promise.all(states)).toEqual([true, false, false]);
    // The proxies listen on IPv6, too: where the domain has such an address, robots may use it.
    if (hasIpv6) expect(await isOpen(MQTTS_PORT, '::1')).toBe(true);
  });

  it('streams an answer of the language model', async () => {
    const { proxy, model, account } = installation;
    const seen: string[] = [];
    let arrived = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    model.respond = async (response) => {
      begin(response).write(piece('one'));
      // The test's timeout if the proxy waits for more.
      await first;
      response.end(`${piece(', two')}${finish}${done}`);
    };
    const sent = proxy.begin('/api/ai', { method: 'POST', headers: { authorization: account.token } });
    const ended = new Promise<void>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => {
        expect(response.headers['content-type']).toBe('text/event-stream');
        response.setEncoding('utf8').on('end', resolve);
        response.on('data', (part: string) => {
          seen.push(part);
          arrived();
        });
      });
    });
    sent.end(JSON.stringify({ prompt: 'Say it', context_key: 'lua' }));
    await ended;
    expect(seen).toEqual(['one', ', two']);
  });

  it('passes on changes as they happen', async () => {
    const { proxy, server, account } = installation;
    const sent = proxy.begin('/api/events', { headers: { authorization: account.token, 'accept-encoding': 'gzip' } });
    sent.on('error', () => undefined);
    sent.end();
    const [response] = await once(sent, 'response');
    expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, undefined]);
    let received = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      received += part;
    });
    // Where the stream begins. It stays open, so this fails if the proxy waits for more.
    await expect.poll(() => received).toMatch(/^id: \d+\nevent: start\ndata: \{\}\n\n$/);
    for (const name of ['First', 'Second']) {
      await server.client.post('/api/tools', { name }, account.token);
      await expect.poll(() => received).toContain(`"name":"${name}"`);
    }
    sent.destroy();
  });

  it('passes on uploads of 7 MB, and lets Potager refuse larger ones', async () => {
    const { proxy, account } = installation;
    const accepted = await sendUpload(proxy, account.token, await pictureOfSize(7_340_032));
    expect(accepted.response.status).toBe(200);
    expect(accepted.url).toMatch(new RegExp(`^https://${domain}:443/direct_upload/temp`));
    const { response: refused } = await sendUpload(proxy, account.token, await pictureOfSize(7_340_033));
    expect(refused.status).toBe(413);
    expect(refused.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('passes on uploads as they arrive', async () => {
    const headers = { ...formType, 'content-length': '5000000' };
    const sent = installation.proxy.begin('/direct_upload/', { method: 'POST', headers });
    // Without a key, Potager refuses it before the rest arrives.
    sent.write('--upload\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n');
    sent.write(Buffer.alloc(100_000, 1));
    expect((await readResponse(sent)).status).toBe(401);
    sent.destroy();
  });

  it('limits each client by its own address, whatever it claims', async () => {
    const statuses = async (address: string) =>
      Promise.all(
        // More than twice the limit: a minute may end in between.
        Array.from({ length: 40 }, async (_, n) => {
          const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': '::1' };
          return (await installation.proxy.send('/api/device/sync', { address, headers })).status;
        }),
      );
    const limited = await statuses(lanAddress ?? '');
    expect(limited).toContain(429);
    expect(new Set(limited)).toEqual(new Set([401, 429]));
    // A request that a proxy passed on is none of this machine; another client, it has its own limit.
    expect(new Set(await statuses('127.0.0.1'))).toEqual(new Set([401, 429]));
  });

  it('replaces the forwarding headers of clients', async () => {
    const echo = createServer((request, response) => response.end(JSON.stringify(request.headers)));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const proxy = await startProxy((echo.address() as AddressInfo).port);
    const forged = { 'x-forwarded-for': '::1', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' };
    // A proxy removes the headers that `Connection` names; only the client's.
    const connection = ['close', ...Object.keys(forged)].join(', ');
    const { json } = await proxy.send('/', { headers: { ...forged, connection } });
    expect(json).toMatchObject({
      host: domain,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': domain,
    });
    await proxy.stop();
    echo.close();
  });

  if (name === 'Caddy')
    it('closes idle connections before Potager does, which would lose a request', () => {
      // Potager closes them after 72 s.
      expect(deployedFile('Caddyfile')).toMatch(/^\t{3}keepalive 60s$/m);
    });

  if (name === 'nginx') {
    it('keeps silent connections of MQTT open', () => {
      // The keep-alive of MQTT is at most 18 hours.
      for (const timeout of ['proxy_read_timeout', 'proxy_send_timeout'])
        expect(deployedFile('nginx.conf')).toMatch(new RegExp(`^  ${timeout} 1d;$`, 'm'));
    });

    it('uses a renewed certificate on both ports, without a restart', async () => {
      const { proxy, server, copyCertificate } = installation;
      const browser = await MqttTestClient.connect(`wss://127.0.0.1:${proxy.ports.https}/ws`, wssOptions());
      for (const file of ['cert', 'key'] as const) {
        await writeFile(`${proxy.files[file]}.new`, secondCertificate[file]);
        await rename(`${proxy.files[file]}.new`, proxy.files[file]);
      }
      proxy.reload();
      copyCertificate();
      const renewed = { servername: 'localhost', ca: secondCertificate.cert };
      const name = async (port: number) => (await proxy.peer(port, renewed).catch(() => null))?.subject.CN;
      await expect.poll(() => name(proxy.ports.https)).toBe('two.test');
      await expect.poll(() => name(Number(server.env.MQTTS_PORT))).toBe('two.test');
      expect(browser.isConnected).toBe(true);
      await browser.end();
    });
  }
});
