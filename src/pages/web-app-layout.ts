import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** The layouts of the vendor's builds: current and former. [rule W1] */
export type LayoutName = 'dist' | 'parcel';

/** The differences between the layouts, besides bundle names. [rule W1] */
export interface Layout {
  readonly name: LayoutName;
  /** Folder of the bundles, which identifies the layout. */
  readonly bundles: string;
  /** Bundles are ES modules. */
  readonly isModule: boolean;
  /** Further hosts that it connects to. [rule W4] */
  readonly connects: readonly string[];
  /** Links of its pages by `rel`, to files that a build may have. [rule W10] */
  readonly links: Readonly<Record<string, string>>;
  /** Its set-up wizard waits for the alert `api.seed_data.missing`. [decision 65] */
  readonly needsSeedAlert: boolean;
}

/** In order of precedence. */
const layouts: readonly Layout[] = [
  {
    name: 'dist',
    bundles: 'assets/dist',
    isModule: true,
    connects: [],
    links: { manifest: 'manifest.local.json', icon: 'favicon.ico', 'apple-touch-icon': 'images/favicon.png' },
    needsSeedAlert: false,
  },
  {
    name: 'parcel',
    bundles: 'assets/parcel',
    isModule: false,
    // Descriptions of crops.
    connects: ['https://openfarm.cc'],
    links: {},
    needsSeedAlert: true,
  },
];

/** A page of the vendor's web app and the bundle that renders it. */
export interface AppPage {
  readonly path: string;
  readonly bundle: Readonly<Record<LayoutName, string>>;
  /** Its own stylesheet: the first of these that exists. */
  readonly styles?: readonly string[];
  /** The bundle needs an element `#root`. */
  readonly hasRoot?: true;
  /** Creates demo accounts. */
  readonly isDemo?: true;
}

const app = { dist: 'main_app-index.js', parcel: 'entry.js' };

/** All pages. [rule W2] */
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

/** The stylesheet of all pages. */
export const mainStyle = 'css/_index.css';

/** The path of an optional local copy of Font Awesome 4.7. */
export const iconStyle = 'font-awesome/css/font-awesome.min.css';

/** Whether a folder contains a file at any depth, dotfiles excepted. */
async function containsFiles(folder: string): Promise<boolean> {
  try {
    for await (const entry of await opendir(folder, { recursive: true }))
      if (!entry.isDirectory() && !entry.name.startsWith('.')) return true;
  } catch {
    // No such folder, or not readable.
  }
  return false;
}

/** Returns the layout of the app in a folder, or null. A failed build leaves a folder without files. */
export async function layoutOf(folder: string): Promise<Layout | null> {
  for (const layout of layouts) if (await containsFiles(join(folder, layout.bundles))) return layout;
  return null;
}
