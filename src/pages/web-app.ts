import { readdir } from 'node:fs/promises';
import Type from 'typebox';
import type { ServerScope } from '../db/scope.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { empty } from '../engine/route.ts';
import { isBrowser } from './page-routes.ts';
import { StaticFiles } from './static-files.ts';
import type { AppPage, Layout } from './web-app-layout.ts';
import { appPages, iconStyle, layoutOf } from './web-app-layout.ts';
import type { AppAddresses } from './web-app-page.ts';
import { appPage, appPolicy } from './web-app-page.ts';

/** What the vendor's web app is told of the server. */
export interface WebAppOptions {
  /** Its folder: what the vendor calls `public`, after the build. */
  readonly folder: string;
  /** Where the caller reaches this server. */
  addresses(call: Call): AppAddresses;
  /** What the app finds in `globalConfig`. */
  config(server: ServerScope, call: Call): Promise<object>;
}

/** The vendor's web app, found in a folder. */
export interface WebApp {
  readonly layout: Layout;
  /** Its routes besides those that are there already. A page or file of the app whose place is taken by a route of the interface is not served; a page of ours gives way to one of the app. */
  routes(others: readonly Route[]): Route[];
}

/** First parts of paths that files never take, whatever a folder holds. */
const reserved = ['api', 'docs', 'csp_reports', 'ws', 'health', 'metrics'];

/** Names that a router takes as they are. */
const plainName = /^[\w@~-][\w@~.-]*$/;

const firstPart = (path: string): string => path.split('/')[1] ?? '';

/** Looks for the app. Null: the folder holds neither layout. */
export async function openWebApp(options: WebAppOptions): Promise<WebApp | null> {
  const { folder, addresses } = options;
  const layout = await layoutOf(folder);
  if (!layout) return null;
  const files = await StaticFiles.open(folder, (call, type) =>
    // Scripts bring the policy of the workers that they become; what could be opened as a page keeps the strict one.
    type.startsWith('text/javascript') ? { 'content-security-policy': appPolicy(addresses(call)) } : {},
  );
  const icons = (await files.has(iconStyle)) ? `/${iconStyle}` : null;
  const pages: PublicRoute[] = [];
  for (const page of appPages) {
    if (!(await files.has(`${layout.bundles}/${page.bundle[layout.name]}`))) continue;
    const style = await firstOf(page.styles ?? [], (name) => files.has(`${layout.bundles}/${name}`));
    pages.push(pageRoute(options, { page, layout, style, icons }));
  }
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => plainName.test(name));
  return {
    layout,
    routes(others) {
      const kept = others.filter((route) => !isOurPage(route, pages));
      const taken = new Set([...reserved, ...[...kept, ...pages].map(({ path }) => firstPart(path))]);
      const free = entries.filter(({ name }) => !taken.has(name));
      const folders = free.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
      const single = free.filter((entry) => entry.isFile() || entry.isSymbolicLink());
      return [
        ...kept,
        ...pages,
        ...folders.map(({ name }) => fileRoute(`/${name}/*`, files)),
        ...single.map(({ name }) => fileRoute(`/${name}`, files)),
      ];
    },
  };
}

/** Whether a page of ours stands where the app has one of its own. */
const isOurPage = (route: Route, pages: readonly Route[]): boolean =>
  route.tag === 'pages' && pages.some(({ path }) => shape(path) === shape(route.path));

const shape = (path: string): string => path.replace(/[:*]\w*$/, '*');

async function firstOf(names: readonly string[], fits: (name: string) => Promise<boolean>): Promise<string | null> {
  for (const name of names) if (await fits(name)) return name;
  return null;
}

const common = { method: 'GET', tag: 'pages', access: 'public', anyVersion: true, hidden: true } as const;

const parameters = (path: string) => (path.endsWith('*') ? { params: Type.Object({ '*': Type.String() }) } : {});

function pageRoute(
  { addresses, config }: WebAppOptions,
  parts: {
    readonly page: AppPage;
    readonly layout: Layout;
    readonly style: string | null;
    readonly icons: string | null;
  },
): PublicRoute {
  const { path, isDemo } = parts.page;
  return {
    ...common,
    path,
    ...(isDemo ? { limit: 'demo' } : {}),
    summary: "A page of the vendor's web app",
    ...parameters(path),
    replies: { 200: 'html' },
    async handle(server, call) {
      if (!isBrowser(call)) return empty;
      return appPage({ ...parts, config: await config(server, call), addresses: addresses(call) });
    },
  };
}

const fileRoute = (path: string, files: StaticFiles): PublicRoute => ({
  ...common,
  path,
  summary: "A file of the vendor's web app",
  ...parameters(path),
  replies: { 200: 'binary', 304: 'empty' },
  handle: (_server, call) => files.answer(call, path.slice(1).replace(/\*$/, call.params['*'] ?? '')),
});
