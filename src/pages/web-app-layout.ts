import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** How the vendor's build laid its files out. */
export type LayoutName = 'dist' | 'parcel';

/** What differs between the two layouts, besides the names of bundles. [client web app] */
export interface Layout {
  readonly name: LayoutName;
  /** Below the app's folder; by a file in this folder the layout is recognised. */
  readonly bundles: string;
  /** Bundles are ES modules. */
  readonly isModule: boolean;
}

/** In the order in which they are looked for. */
const layouts: readonly Layout[] = [
  { name: 'dist', bundles: 'assets/dist', isModule: true },
  { name: 'parcel', bundles: 'assets/parcel', isModule: false },
];

/** A page of the vendor's web app: what is asked for, and the bundle that draws it. */
export interface AppPage {
  readonly path: string;
  readonly bundle: Readonly<Record<LayoutName, string>>;
  /** Its own style besides that of all pages: the first of these that exists. */
  readonly styles?: readonly string[];
  /** The bundle wants to find a root. */
  readonly hasRoot?: true;
  /** It makes demo accounts. */
  readonly isDemo?: true;
}

const app = { dist: 'main_app-index.js', parcel: 'entry.js' };

/** THE table of pages. [client web app] */
export const appPages: readonly AppPage[] = [
  { path: '/', bundle: { dist: 'front_page-index.js', parcel: 'front_page/index.js' } },
  { path: '/app', bundle: app },
  { path: '/app/*', bundle: app },
  { path: '/demo', bundle: { dist: 'demo-index.js', parcel: 'demo/index.js' }, isDemo: true },
  {
    path: '/try_farmbot',
    bundle: { dist: 'try_farmbot-index.js', parcel: 'try_farmbot/index.js' },
    isDemo: true,
  },
  { path: '/os', bundle: { dist: 'os_download-index.js', parcel: 'os_download/index.js' } },
  { path: '/tos_update', bundle: { dist: 'tos_update-index.js', parcel: 'tos_update/index.js' } },
  { path: '/password_reset/*', bundle: { dist: 'password_reset-index.js', parcel: 'password_reset/index.js' } },
  { path: '/promo', bundle: { dist: 'promo-index.js', parcel: 'promo/index.js' } },
  {
    path: '/terminal',
    bundle: { dist: 'terminal-index.js', parcel: 'terminal/index.js' },
    styles: ['terminal/index.css', 'css/xterm.css'],
    hasRoot: true,
  },
];

/** The style of all pages. */
export const mainStyle = 'css/_index.css';

/** Font Awesome 4.7 as its package unpacks, where somebody put it into the app's folder. */
export const iconStyle = 'font-awesome/css/font-awesome.min.css';

/** Whether a folder holds a file, however deep. Dotfiles do not count: they are never served. */
async function holdsFiles(folder: string): Promise<boolean> {
  try {
    for await (const entry of await opendir(folder, { recursive: true }))
      if (!entry.isDirectory() && !entry.name.startsWith('.')) return true;
  } catch {
    // No folder, or none that may be read.
  }
  return false;
}

/** The layout of the app in a folder; null when the folder holds neither. An empty place is what a build that failed leaves behind. */
export async function layoutOf(folder: string): Promise<Layout | null> {
  for (const layout of layouts) if (await holdsFiles(join(folder, layout.bundles))) return layout;
  return null;
}
