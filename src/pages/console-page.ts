import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Origin, RequestHeaders } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';

/** The folder of the built console: beside this program. */
const builtConsole = new URL('../console', import.meta.url).pathname;

/** The page where the console was not built. */
const missingPage = `<!doctype html>
<html lang="en"><head><title>Potager</title></head>
<body><main><h1>Potager</h1><p>The pages were not built: run <code>npm run build</code>.</p></main></body></html>
`;

/** Scripts are files of this server only, styles also elements with the nonce of the response: that of the first picture, and those that the editor for Lua creates. Webcams and photos may be anywhere. */
const policy = (nonce: string, broker: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${broker}`,
    'img-src http: https: blob: data:',
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'report-uri /csp_reports',
  ].join('; ');

/** Whether the client accepts HTML. */
export const isBrowser = (call: RequestHeaders): boolean => String(call.headers.accept ?? '').includes('text/html');

/** The data that the server passes to the console at an address that is not the console's own. */
export interface InitialState {
  /** The address in the console: `/sign-in`. */
  readonly to: string;
  /** Signs the browser in. */
  readonly session?: object;
  /** A page of the vendor's web app, which is opened with the session instead. [rule W8] */
  readonly app?: string;
}

export interface ConsolePageOptions {
  /** The address of the message broker's WebSocket as the caller reaches it. */
  readonly broker: (call: Origin) => string;
  readonly folder?: string;
}

/** The one page of the console, which every address below `/console` shows, and other addresses with an {@link InitialState}. */
export class ConsolePage {
  readonly folder: string;
  readonly isBuilt: boolean;
  readonly #html: string;
  readonly #broker: ConsolePageOptions['broker'];

  private constructor(folder: string, html: string | null, broker: ConsolePageOptions['broker']) {
    this.folder = folder;
    this.isBuilt = html !== null;
    this.#html = html ?? missingPage;
    this.#broker = broker;
  }

  /** Reads the page; without a build, it is replaced by a text. */
  static async open({ broker, folder = builtConsole }: ConsolePageOptions): Promise<ConsolePage> {
    return new ConsolePage(folder, await readFile(join(folder, 'index.html'), 'utf8').catch(() => null), broker);
  }

  /** Returns the page. The address of one with a state may contain the secret of a link. `address`: in the console, for its first picture. */
  reply(call: Origin, status = 200, state: InitialState | null = null, address = state?.to ?? ''): Reply {
    const nonce = randomBytes(16).toString('base64');
    // `<` could end the element early.
    const script = state
      ? `<script type="application/json" id="initial-state">${JSON.stringify(state).replaceAll('<', '\\u003c')}</script>\n`
      : '';
    const [page = ''] = /^[a-z-]+/.exec(address.replace(/^\//, '')) ?? [];
    const html = this.#html
      .replaceAll('{{nonce}}', nonce)
      .replace('{{page}}', page)
      .replace('</body>', () => `${script}</body>`);
    return new Reply(html, 'text/html; charset=utf-8', status, {
      'content-security-policy': policy(nonce, this.#broker(call)),
      'cache-control': 'no-store',
      'referrer-policy': state ? 'no-referrer' : 'same-origin',
    });
  }
}
