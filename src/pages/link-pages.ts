import type { Call, Reply } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';

/** The page of the vendor's web app that a confirmed sign-up opens. [rule W8] */
const firstAppPage = '/app/designer/messages';

const reasons: Readonly<Record<number, string>> = { 409: 'used', 422: 'taken' };

/** The pages of the links in mails, which are shown at the addresses of the links, with the status of their outcome. */
export const linkPages = (console: ConsolePage, hasWebApp: boolean) => ({
  signedIn: (call: Call, session: object): Reply =>
    console.reply(call, 200, { to: '/confirmed', session, ...(hasWebApp ? { app: firstAppPage } : {}) }),
  addressChanged: (call: Call): Reply => console.reply(call, 200, { to: '/confirmed?kind=change' }),
  deadLink: (call: Call, status: number, kind: 'account' | 'change'): Reply =>
    console.reply(call, status, { to: `/dead-link?kind=${kind}&reason=${reasons[status] ?? 'unknown'}` }),
});
