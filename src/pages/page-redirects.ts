import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import { emptyReply, jsonContentType, Reply } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';
import { isBrowser } from './console-page.ts';
import { notFoundReply } from './fallback-routes.ts';

/**
 * THE table of addresses that mails, robots' set-up pages, documents and the vendor's web app link to, and the pages of the
 * console that they open. The secret of a link becomes the fragment, which browsers do not send. [decision 20]
 */
const addresses: Readonly<Record<string, string>> = {
  '/': '/',
  '/sign_in': '/sign-in',
  '/sign_up': '/sign-up',
  '/forgotten_password': '/forgotten-password',
  '/password_reset/:token': '/password-reset',
  '/take_back/:token': '/take-back',
  '/invitation/:token': '/invitation',
  '/tos_update': '/sign-in?terms=true',
  '/os': '/robot-setup',
  '/featured': '/featured',
  '/logout': '/sign-out',
  '/demo': '/demo',
  '/try_farmbot': '/demo',
  '/account': '/account',
  '/import': '/account?part=data',
  '/seed': '/set-up',
  '/app': '/',
  '/app/*': '/',
};

/** Names the console to clients that are not browsers, and to people who read what they get. */
const rootReply = new Reply('', jsonContentType, 200, { link: '</console/>; rel="alternate"' });

/** Redirects browsers to the console; other clients get an empty body. [decision 20] */
export const pageRedirects = (console: ConsolePage): PublicRoute[] =>
  Object.entries(addresses).map(([path, page]) => {
    const parameter = /[:*](\w*)$/.exec(path);
    const isFreeText = path.endsWith('*');
    return {
      method: 'GET',
      path,
      tag: 'Pages',
      access: 'public',
      acceptsAnyVersion: true,
      ...(page === '/demo' ? { rateLimit: 'demo' as const } : {}),
      summary: 'Open a page in a browser; other clients get an empty body',
      description:
        'Redirects browsers to the page of the console. Clients that do not ask for `text/html` get an empty body.',
      ...(parameter ? { params: Type.Object({ [parameter[1] || '*']: Type.String() }) } : {}),
      replies: { 200: 'empty', 302: 'empty', ...(isFreeText ? { 404: 'html' } : {}) },
      handle(_server, call) {
        // Files of a web app that is not installed. [rule W7]
        if (isFreeText && /\.\w+$/.test(call.params['*'] ?? '')) return notFoundReply(console, call);
        if (!isBrowser(call)) return path === '/' ? rootReply : emptyReply;
        const secret = parameter && !isFreeText ? `#${encodeURIComponent(call.params[parameter[1] ?? ''] ?? '')}` : '';
        return new Reply('', 'text/html; charset=utf-8', 302, {
          location: `/console${page}${secret}`,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        });
      },
    };
  });
