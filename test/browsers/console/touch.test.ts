import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

type Place = readonly [x: number, y: number];

/** One finger on a page. */
async function fingerOn(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', places: readonly Place[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y]) => ({ x, y })) });
  return {
    async tap(place: Place): Promise<void> {
      await send('touchStart', [place]);
      await send('touchEnd', []);
    },
    /** Moves through places, the last of which it leaves. */
    async drag(from: Place, ...through: readonly Place[]): Promise<void> {
      await send('touchStart', [from]);
      for (const place of through) await send('touchMove', [place]);
      await send('touchEnd', []);
    },
  };
}

const middleOf = (page: Page, name: string | RegExp): Promise<Place> =>
  page
    .getByRole('button', { name, exact: true })
    .boundingBox()
    .then((box) => {
      if (!box) throw new Error(`${name} is not shown`);
      return [box.x + box.width / 2, box.y + box.height / 2];
    });

/** Counts the requests of a page with a method. */
function countOf(page: Page, method: string, path: RegExp): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.method() === method && path.test(request.url())) count++;
  });
  return () => count;
}

const touching = { viewport: phone, hasTouch: true, isMobile: true };

describe('a curve on a phone', () => {
  const server = consoleServer();

  it('has its points dragged by a finger, which scrolls the page below them', async () => {
    const ada = await gardener(server);
    const data = Object.fromEntries([1, 10, 20, 30, 40, 50, 60].map((day) => [day, 500]));
    const curve = await ada.call('POST', '/api/curves', { name: 'Thirsty', type: 'water', data });
    const path = `/things/curves?id=${numberAt(curve, 'id')}`;
    const page = await openConsole(open, server, ada, path, touching);
    const point = page.getByRole('slider', { name: 'Day 30' });
    await point.waitFor();
    await point.scrollIntoViewIfNeeded();
    const finger = await fingerOn(page);
    const scrolled = (): Promise<number> => page.evaluate('document.getElementById("main").scrollTop');
    const before = await scrolled();
    const [from, drawing] = [
      await point.boundingBox(),
      await page.getByRole('group', { name: /^Curve/ }).boundingBox(),
    ];
    if (!from || !drawing) throw new Error('the curve is not drawn');
    const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
    // The axes are 204 of 240 parts of the drawing high, and 500 ml are at their end.
    const down = (milliliters: number): number => (milliliters / 500) * (204 / 240) * drawing.height;
    await finger.drag([x, y], [x, y + down(100)], [x, y + down(250)], [x, y + down(300)]);
    await expect.poll(async () => Math.abs(Number(await point.getAttribute('aria-valuenow')) - 200)).toBeLessThan(6);
    expect(await scrolled()).toBe(before);
    expect(await page.getByRole('slider', { name: 'Day 40' }).getAttribute('aria-valuenow')).toBe('500');

    const below = drawing.y + drawing.height + 60;
    await finger.drag([x, below], [x, below - 20], [x, below - 80], [x, below - 160]);
    await expect.poll(scrolled).toBeGreaterThan(before);
  });
});

describe('programs on a phone', () => {
  const server = consoleServer();

  it('have their steps dragged by a finger, which scrolls the page elsewhere', async () => {
    const ada = await gardener(server);
    const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
    const times = Array.from({ length: 14 }, (_, index) => (index + 1) * 100);
    const program = await ada.call('POST', '/api/sequences', { name: 'Long', body: times.map(wait) });
    const path = `/programs/${numberAt(program, 'id')}`;
    const page = await openConsole(open, server, ada, path, touching);
    const steps = page.getByRole('grid', { name: 'Steps' }).getByRole('row');
    await steps.nth(13).waitFor();
    const finger = await fingerOn(page);
    const scrolled = (): Promise<number> => page.evaluate('document.getElementById("main").scrollTop');

    const [x, first] = await middleOf(page, 'Drag Wait 100 ms');
    const [, third] = await middleOf(page, 'Drag Wait 300 ms');
    const below = third + 15;
    await finger.drag([x, first], [x, first + 20], [x, below - 20], [x, below]);
    await expect.poll(() => steps.nth(2).innerText()).toContain('100 ms');
    expect(await scrolled()).toBe(0);
    await page.getByText('Unsaved changes').waitFor();

    // On the words of a step it scrolls, and moves none.
    await finger.drag([x + 120, 600], [x + 120, 560], [x + 120, 450], [x + 120, 350]);
    await expect.poll(scrolled).toBeGreaterThan(100);
    // A tap on a page that still rolls only stops it.
    let last = -1;
    await expect
      .poll(async () => {
        const before = last;
        last = await scrolled();
        return last - before;
      })
      .toBe(0);
    await page.evaluate('document.getElementById("main").scrollTo(0, 0)');
    await expect.poll(scrolled).toBe(0);
    expect(page.url().endsWith(path)).toBe(true);

    const saved = countOf(page, 'PATCH', /\/api\/sequences\//);
    const save = await middleOf(page, 'Save');
    await finger.tap(save);
    await finger.tap(save);
    await page.getByText('“Long” was saved.').waitFor();
    expect(saved()).toBe(1);
    const stored = at(await ada.call('GET', `/api/sequences/${numberAt(program, 'id')}`), 'body');
    expect(stored).toEqual([200, 300, 100, ...times.slice(3)].map(wait));
  });

  it('are created once by two quick taps, and get steps from a list without a keyboard over it', async () => {
    const page = await openConsole(open, server, await gardener(server, 'bea'), '/programs', touching);
    const created = countOf(page, 'POST', /\/api\/sequences$/);
    const finger = await fingerOn(page);
    const create = page.getByRole('button', { name: 'New program' }).last();
    await create.waitFor();
    const box = await create.boundingBox();
    if (!box) throw new Error('there is no button');
    const place = [box.x + box.width / 2, box.y + box.height / 2] as const;
    await finger.tap(place);
    await finger.tap(place);
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
    expect(created()).toBe(1);

    await page.getByRole('button', { name: 'Back to the steps' }).tap();
    await page.getByRole('button', { name: 'Add a step' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Add a step' });
    await dialog.getByRole('row', { name: 'Wait', exact: true }).waitFor();
    expect(await dialog.getByRole('button', { name: /^Drag/ }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.localName')).not.toBe('input');
    await dialog.getByRole('row', { name: 'Wait', exact: true }).tap();
    await page.getByRole('textbox', { name: 'Time (ms)' }).waitFor();
    await page.getByRole('button', { name: 'Back to the steps' }).tap();
    await page
      .getByRole('button', { name: /^More about Wait/ })
      .last()
      .tap();
    await page.getByRole('menuitem', { name: 'Delete' }).tap();
    await page.getByText('No steps yet').waitFor();
  });

  it('have panels that the back button closes, and move a program into a branch by a menu', async () => {
    const cyd = await gardener(server, 'cyd');
    const water = numberAt(await cyd.call('POST', '/api/sequences', { name: 'Water', body: [] }), 'id');
    const nothing = { kind: 'nothing', args: {} };
    const run = { kind: 'execute', args: { sequence_id: water } };
    const condition = { kind: '_if', args: { lhs: 'x', op: '<', rhs: 1, _then: nothing, _else: nothing } };
    const program = await cyd.call('POST', '/api/sequences', { name: 'Evening', body: [condition, run] });
    const path = `/programs/${numberAt(program, 'id')}`;
    const page = await openConsole(open, server, cyd, path, touching);
    const steps = page.getByRole('grid', { name: 'Steps' });
    const addressOf = (): string => page.url().slice(page.url().indexOf('/programs'));

    await steps.getByRole('row', { name: /Water/ }).tap();
    const back = page.getByRole('button', { name: 'Back to the steps' });
    await back.waitFor();
    expect(addressOf()).toBe(`${path}?step=2`);
    await page.goBack();
    await steps.waitFor();
    expect(addressOf()).toBe(path);
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toContain('Water');
    await page.getByRole('link', { name: 'Text' }).tap();
    await back.tap();
    await steps.waitFor();
    expect(addressOf()).toBe(path);

    await page.getByRole('button', { name: /^More about .*Water/ }).tap();
    await page.getByRole('menuitem', { name: /^Move into step 1/ }).tap();
    await expect.poll(() => steps.getByRole('row').count()).toBe(1);
    await page.getByRole('button', { name: 'Save', exact: true }).tap();
    await page.getByText('“Evening” was saved.').waitFor();
    const stored = at(await cyd.call('GET', `/api/sequences/${numberAt(program, 'id')}`), 'body');
    expect(stored).toEqual([{ ...condition, args: { ...condition.args, _then: run } }]);
  });
});
