import Type from 'typebox';
import type { ServerScope } from '../db/scope.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { isBrowser } from './page.ts';
import { StaticFiles } from './static-files.ts';
import type { AppPage, Layout } from './web-app-layout.ts';
import { appPages, iconStyle, layoutOf } from './web-app-layout.ts';
import type { AppAddresses } from './web-app-page.ts';
import { appPage, appPolicy } from './web-app-page.ts';

export interface WebAppOptions {
  /** Its folder: what the vendor calls `public`, after the build. */
  readonly folder: string;
  /** Where the caller reaches this server. */
  addresses(call: Call): AppAddresses;
}

/** Returns the `globalConfig` of the web app's pages. */
export type AppConfig = (server: ServerScope, call: Call) => Promise<object>;

/** The vendor's web app, found in a folder. */
export interface WebApp {
  readonly layout: Layout;
  /** Its routes besides those that are there already. A page of ours gives way to one of the app. Files come last: where Potager has routes of its own, none of the app is served. */
  routes(others: readonly Route[], config: AppConfig): Route[];
}

/** First parts of paths that files never take, whatever a folder holds, besides those of routes. */
const reserved = ['api', 'docs', 'csp_reports', 'ws', 'health', 'metrics'];

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
  const found: PageParts[] = [];
  for (const page of appPages) {
    if (!(await files.has(`${layout.bundles}/${page.bundle[layout.name]}`))) continue;
    const style = await firstOf(page.styles ?? [], (name) => files.has(`${layout.bundles}/${name}`));
    found.push({ page, layout, style, icons });
  }
  return {
    layout,
    routes(others, config) {
      const pages = found.map((parts) => pageRoute(options, config, parts));
      const places = fallbackRoutes(async (call, path) => {
        const isFree = !taken.has(firstPart(`/${path}`));
        return (isFree ? await files.answer(call, path) : null) ?? notFoundReply(call);
      });
      const kept = others.filter((route) => !isOurPage(route, [...pages, ...places]));
      const taken = new Set([...reserved, ...kept.map(({ path }) => firstPart(path))]);
      return [...kept, ...pages, ...places];
    },
  };
}

interface PageParts {
  readonly page: AppPage;
  readonly layout: Layout;
  readonly style: string | null;
  readonly icons: string | null;
}

/** Whether a page of ours stands where the app has one of its own. */
const isOurPage = (route: Route, pages: readonly Route[]): boolean =>
  route.tag === 'pages' && pages.some(({ path }) => shape(path) === shape(route.path));

const shape = (path: string): string => path.replace(/[:*]\w*$/, '*');

async function firstOf(names: readonly string[], fits: (name: string) => Promise<boolean>): Promise<string | null> {
  for (const name of names) if (await fits(name)) return name;
  return null;
}

function pageRoute({ addresses }: WebAppOptions, config: AppConfig, parts: PageParts): PublicRoute {
  const { path, isDemo } = parts.page;
  return {
    method: 'GET',
    path,
    tag: 'pages',
    access: 'public',
    acceptsAnyVersion: true,
    hidden: true,
    ...(isDemo ? { rateLimit: 'demo' } : {}),
    summary: "A page of the vendor's web app",
    ...(path.endsWith('*') ? { params: Type.Object({ '*': Type.String() }) } : {}),
    replies: { 200: 'html' },
    async handle(server, call) {
      if (!isBrowser(call)) return emptyReply;
      return appPage({ ...parts, config: await config(server, call), addresses: addresses(call) });
    },
  };
}
