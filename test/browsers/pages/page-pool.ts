import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

export const desktop = { width: 1280, height: 800 } as const;

/** In ms; enough for the viewer of /docs on a busy machine. */
const defaultTimeout = 60_000;

/** A test's changes with these are not taken back. */
const lasting = { page: ['clock'], context: ['newCDPSession', 'newPage'] } as const;

export interface PageOptions extends BrowserContextOptions {
  /** The browser has read nothing before. */
  readonly isNew?: boolean;
}

interface PooledPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The options of its context, as JSON, without options that can be set on an open page. */
  readonly kind: string;
  /** The servers that it showed pages of. */
  readonly origins: Set<string>;
  readonly initScripts: { dispose(): Promise<void> }[];
  /** The browser's own view of the page. */
  readonly session: CDPSession;
  isReusable: boolean;
}

/**
 * Pages with empty storage, which tests use one after the other: a page in a new context takes half as much CPU time again,
 * and downloads all scripts.
 */
export class PagePool {
  readonly #browser: Browser;
  readonly #used = new Map<Page, PooledPage>();
  readonly #idle: PooledPage[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Whether its browser runs. */
  get isOpen(): boolean {
    return this.#browser.isConnected();
  }

  /** The pages that were opened since the last release. */
  get used(): readonly Page[] {
    return [...this.#used.keys()];
  }

  /** Returns a page with empty storage. `prepare` gets each page once, before it is used. */
  async open(options: PageOptions, prepare: (page: Page) => void): Promise<Page> {
    const { viewport, colorScheme = 'light', reducedMotion = 'no-preference', isNew = false, ...rest } = options;
    const kind = JSON.stringify(rest);
    const index = isNew ? -1 : this.#idle.findIndex((each) => each.kind === kind);
    const [kept] = index === -1 ? [] : this.#idle.splice(index, 1);
    const taken = kept ?? (await this.#create(kind, rest, prepare));
    const { page } = taken;
    this.#used.set(page, taken);
    await page.setViewportSize(viewport ?? desktop);
    // Null: a test before may have printed.
    await page.emulateMedia({ media: null, colorScheme, reducedMotion });
    return page;
  }

  /**
   * Empties the used pages for the next test. Closes pages that it could change in other ways: which failed, have a clock
   * or further pages, or showed more than one server. `isReusable`: false closes all.
   */
  async release(isReusable: boolean): Promise<void> {
    for (const used of [...this.#used.values()]) {
      this.#used.delete(used.page);
      if (isReusable && used.isReusable && (await isReset(used))) this.#idle.push(used);
      else await used.context.close();
    }
  }

  async #create(kind: string, options: BrowserContextOptions, prepare: (page: Page) => void): Promise<PooledPage> {
    const context = await this.#browser.newContext({ viewport: desktop, ...options });
    context.setDefaultTimeout(defaultTimeout);
    const page = await context.newPage();
    prepare(page);
    const created: PooledPage = {
      page,
      context,
      kind,
      origins: new Set(),
      initScripts: [],
      session: await context.newCDPSession(page),
      isReusable: true,
    };
    page.on('framenavigated', (frame) => {
      if (frame.url().startsWith('http')) created.origins.add(new URL(frame.url()).origin);
    });
    const addInitScript = page.addInitScript.bind(page);
    page.addInitScript = async (...script: Parameters<Page['addInitScript']>) => {
      const added = await addInitScript(...script);
      created.initScripts.push(added);
      return added;
    };
    const noteUse = (): void => {
      created.isReusable = false;
    };
    for (const name of lasting.page) callBeforeUse(page, name, noteUse);
    for (const name of lasting.context) callBeforeUse(context, name, noteUse);
    return created;
  }
}

/** Empties a page. Returns false where that is not possible. */
async function isReset({ page, context, origins, initScripts, session }: PooledPage): Promise<boolean> {
  const [origin, ...others] = origins;
  if (origin === undefined || others.length > 0 || context.pages().length !== 1) return false;
  try {
    for (const script of initScripts.splice(0)) await script.dispose();
    // A test may end before the answer that its route holds back.
    for (const each of [page, context]) await each.unrouteAll({ behavior: 'ignoreErrors' });
    // Leaving a page can store the input: storage is emptied from another page of the server, in the same process.
    await page.goto(`${origin}/console/icon.svg`);
    await page.mouse.move(-1, -1);
    await page.evaluate("for (const each of [sessionStorage, localStorage]) each.clear(); name = ''");
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.send('Page.resetNavigationHistory');
  } catch {
    return false;
  }
  origins.clear();
  return true;
}

/** Calls a function whenever a property is read. */
function callBeforeUse(object: object, name: string, call: () => void): void {
  const value: unknown = Reflect.get(object, name);
  Object.defineProperty(object, name, {
    get: () => {
      call();
      return value;
    },
  });
}
