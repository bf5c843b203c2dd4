import type { ServerScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';
import { isBrowser } from './console-page.ts';
import { demoWebcamReply } from './demo-webcam.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { StaticFiles } from './static-files.ts';
import type { AppPage, Layout } from './web-app-layout.ts';
import { appPages, iconStyle, layoutOf } from './web-app-layout.ts';
import type { AppAddresses, Link } from './web-app-page.ts';
import { appPage, appPolicy } from './web-app-page.ts';

export interface WebAppOptions {
  /** The folder `public` of its build. */
  readonly folder: string;
  /** Its page is shown where nothing is found. */
  readonly console: ConsolePage;
  /** The URLs under which the caller reaches this server. */
  addresses(call: Call): AppAddresses;
}

/** Returns the `globalConfig` of the web app's pages. */
export type AppConfig = (server: ServerScope, call: Call) => Promise<object>;

/** The vendor's web app in a folder. */
export interface WebApp {
  readonly layout: Layout;
  /** Adds its routes to others, replacing own pages that the app has too. Files have the lowest precedence. */
  routes(others: readonly Route[], config: AppConfig): Route[];
}

/** First path segments under which no files are served, besides the routes' segments. */
const reservedSegments = ['api', 'csp_reports', 'ws', 'health', 'metrics'];

const firstSegment = (path: string): string => path.split('/')[1] ?? '';

/** Opens the app in a folder; returns null if it is not there. */
export async function openWebApp(options: WebAppOptions): Promise<WebApp | null> {
  const { folder, addresses } = options;
  const layout = await layoutOf(folder);
  if (!layout) return null;
  const files = await StaticFiles.open(folder, (call, type) =>
    // A worker gets the policy of its script; files that could be opened as pages keep the strict policy.
    type.startsWith('text/javascript') ? { 'content-security-policy': appPolicy(addresses(call), layout) } : {},
  );
  const icons = (await files.has(iconStyle)) ? `/${iconStyle}` : null;
  const links: Link[] = [];
  for (const [rel, file] of Object.entries(layout.links)) if (await files.has(file)) links.push({ rel, file });
  const found: PageParts[] = [];
  for (const page of appPages) {
    if (!(await files.has(`${layout.bundles}/${page.bundle[layout.name]}`))) continue;
    const style = await firstMatch(page.styles ?? [], (name) => files.has(`${layout.bundles}/${name}`));
    found.push({ page, layout, style, icons, links });
  }
  return {
    layout,
    routes(others, config) {
      const pages = found.map((parts) => pageRoute(options, config, parts));
      const fileRoutes = fallbackRoutes(async (call, path) => {
        const isFree = !taken.has(firstSegment(`/${path}`));
        return (
          (isFree ? await files.reply(call, path) : null) ??
          demoWebcamReply(path) ??
          notFoundReply(options.console, call)
        );
      });
      const kept = others.filter((route) => !isReplaced(route, [...pages, ...fileRoutes]));
      const taken = new Set([...reservedSegments, ...kept.map(({ path }) => firstSegment(path))]);
      return [...kept, ...pages, ...fileRoutes];
    },
  };
}

interface PageParts {
  readonly page: AppPage;
  readonly layout: Layout;
  readonly style: string | null;
  readonly icons: string | null;
  readonly links: readonly Link[];
}

/** Whether an own page has the path of a page of the app. */
const isReplaced = (route: Route, pages: readonly Route[]): boolean =>
  route.tag === 'Pages' && pages.some(({ path }) => pathShape(path) === pathShape(route.path));

const pathShape = (path: string): string => path.replace(/[:*]\w*$/, '*');

async function firstMatch(
  names: readonly string[],
  matches: (name: string) => Promise<boolean>,
): Promise<string | null> {
  for (const name of names) if (await matches(name)) return name;
  return null;
}

function pageRoute({ addresses }: WebAppOptions, config: AppConfig, parts: PageParts): PublicRoute {
  const { path, isDemo } = parts.page;
  return {
    method: 'GET',
    path,
    tag: 'Pages',
    access: 'public',
    acceptsAnyVersion: true,
    ...(isDemo ? { rateLimit: 'demo' } : {}),
    summary: "Open a page of the vendor's web app; other clients than browsers get an empty body",
    description: 'A page of the web app that the operator installed.',
    ...(path.endsWith('*') ? { params: Type.Object({ '*': Type.String() }) } : {}),
    replies: { 200: 'html' },
    async handle(server, call) {
      if (!isBrowser(call)) return emptyReply;
      return appPage({ ...parts, config: await config(server, call), addresses: addresses(call) });
    },
  };
}
