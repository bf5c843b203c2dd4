import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type PeerCertificate } from 'node:tls';
import { certificate, privateKey } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { HttpResponse } from '../../support/http-client.ts';
import { isRunning, startProgram } from '../../support/started-program.ts';
import { deployedFile, domain, rewrite } from './deployed-files.ts';

/** Options of a request through a proxy. */
export interface ProxyRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the proxy to connect to, which is also the client's own. */
  readonly address?: string;
}

/** The file that a client needs to verify the certificate of a proxy. */
export interface ClientTls {
  readonly servername: string;
  readonly ca: string;
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

/** Paths of PEM files: the ones that the proxy serves with, and the authority that clients trust. */
interface ProxyFiles {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

/** A web server of Debian with one of the configurations in `deploy`, of which only ports and paths are replaced. */
export class ProxyServer {
  readonly ports: Ports;
  readonly folder: string;
  readonly files: ProxyFiles;
  readonly #name: string;
  readonly #start: () => ChildProcess;
  #child: ChildProcess;
  #output = '';

  private constructor(
    name: string,
    ports: Ports,
    folder: string,
    files: ProxyFiles,
    program: string,
    words: readonly string[],
  ) {
    this.#name = name;
    this.ports = ports;
    this.folder = folder;
    this.files = files;
    // Caddy keeps its certificates below HOME.
    const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder };
    this.#start = () =>
      // With SIGTERM, nginx ends its workers.
      startProgram(program, words, { cwd: folder, env, endSignal: 'SIGTERM' }, (part) => {
        this.#output += part;
      });
    this.#child = this.#start();
  }

  /** Starts Caddy for a server at `upstream`. */
  static caddy(upstream: number): Promise<ProxyServer> {
    const site = rewrite(deployedFile('Caddyfile'), { '127.0.0.1:3000': `127.0.0.1:${upstream}` });
    return ProxyServer.caddyFor(domain, site);
  }

  /** Starts Caddy with a Caddyfile for a domain. Its own authority issues the certificates instead of a public one. */
  static async caddyFor(name: string, site: string): Promise<ProxyServer> {
    const folder = await mkdtemp(join(tmpdir(), 'potager-caddy-'));
    const ports = { http: await freePort(), https: await freePort() };
    const options = [`http_port ${ports.http}`, `https_port ${ports.https}`, 'admin off', 'local_certs'];
    await writeFile(join(folder, 'Caddyfile'), `{\n${options.join('\n')}\nskip_install_trust\n}\n${site}`);
    const own = join(folder, '.local/share/caddy');
    const issued = join(own, `certificates/local/${name}/${name}`);
    const files = {
      cert: `${issued}.crt`,
      key: `${issued}.key`,
      authority: join(own, 'pki/authorities/local/root.crt'),
    };
    return ProxyServer.#started(new ProxyServer(name, ports, folder, files, 'caddy', ['run', '--config', 'Caddyfile']));
  }

  /** Starts nginx for a server at `upstream`, within Debian's nginx.conf. */
  static async nginx(upstream: number): Promise<ProxyServer> {
    const folder = await mkdtemp(join(tmpdir(), 'potager-nginx-'));
    // Its workers run as another user.
    await chmod(folder, 0o755);
    const ports = { http: await freePort(), https: await freePort() };
    const [cert, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    const files = { cert, key, authority: join(folder, 'authority.pem') };
    await writeFile(files.cert, certificate);
    await writeFile(files.key, privateKey);
    await writeFile(files.authority, certificate);
    const site = rewrite(deployedFile('nginx.conf'), {
      'listen 80;': `listen ${ports.http};`,
      'listen [::]:80;': `listen [::]:${ports.http};`,
      'listen 443 ': `listen ${ports.https} `,
      'listen [::]:443 ': `listen [::]:${ports.https} `,
      '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      [`/etc/letsencrypt/live/${domain}`]: folder,
    });
    await writeFile(join(folder, 'potager.conf'), site);
    await mkdir(join(folder, 'temporary'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map(
      (kind) => `${kind}_temp_path ${folder}/temporary/${kind};`,
    );
    const main = rewrite(readFileSync('/etc/nginx/nginx.conf', 'utf8'), {
      '/run/nginx.pid': join(folder, 'pid'),
      '/var/log/nginx': folder,
      '/etc/nginx/conf.d/*.conf': join(folder, 'potager.conf'),
      'include /etc/nginx/sites-enabled/*;': temporary.join('\n'),
    });
    await writeFile(join(folder, 'nginx.conf'), main);
    const words = ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
    return ProxyServer.#started(new ProxyServer(domain, ports, folder, files, 'nginx', words));
  }

  static async #started(proxy: ProxyServer): Promise<ProxyServer> {
    const end = Date.now() + 120_000;
    for (;;) {
      try {
        await proxy.peer();
        return proxy;
      } catch (error) {
        if (proxy.#child.exitCode === null && Date.now() < end) await sleep(50);
        else {
          await proxy.stop();
          throw new Error(`the proxy did not start:\n${proxy.#output}`, { cause: error });
        }
      }
    }
  }

  get tls(): ClientTls {
    return { servername: this.#name, ca: readFileSync(this.files.authority, 'utf8') };
  }

  /** Returns the verified certificate that a port of this machine shows, by default the proxy's. */
  async peer(port = this.ports.https, tls = this.tls): Promise<PeerCertificate> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ...tls }, () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      }).on('error', reject);
    });
  }

  /** Begins a request to the domain over TLS. */
  begin(path: string, { method = 'GET', headers = {}, address = '127.0.0.1' }: ProxyRequest = {}): ClientRequest {
    const target = { host: address, localAddress: address, port: this.ports.https, path, method, agent: false };
    return request({ ...target, ...this.tls, headers: { host: this.#name, 'user-agent': 'test', ...headers } });
  }

  /** Sends a request to the domain over TLS. */
  async send(path: string, options: ProxyRequest = {}): Promise<HttpResponse> {
    const sent = this.begin(path, options);
    sent.end(options.body);
    return readResponse(sent);
  }

  /** Makes nginx read its certificate again. */
  reload(): void {
    this.#child.kill('SIGHUP');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Kills the proxy with SIGKILL, and starts it again. */
  async restart(): Promise<void> {
    await this.#end('SIGKILL');
    this.#child = this.#start();
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!isRunning(this.#child)) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

/** Waits for the response to a request, and reads it. */
export async function readResponse(sent: ClientRequest): Promise<HttpResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return new HttpResponse(response.statusCode ?? 0, response.headers, Buffer.concat(parts));
}
