import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, type Gardener, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();
/** More than any of the pages has between two places of a walk. */
const maxTabs = 60;

/** The focused element, as screen readers say it: `button "Add a plant"`; empty if it is nothing but the page. */
async function focused(page: Page): Promise<string> {
  const element = page.locator(':focus');
  if ((await element.count()) === 0) return '';
  const [first = ''] = (await element.ariaSnapshot()).split('\n');
  return first.replace(/^- '?/, '');
}

/** Whether the focused element is drawn, and nothing covers it. */
const isFocusShown = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    return document.activeElement.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  })()`);

const focusMoves = (page: Page, name: RegExp): Promise<void> =>
  expect.poll(() => focused(page), { interval: 20 }).toMatch(name);

/** Presses a key until the focused element has a name. */
async function pressUntil(page: Page, key: string, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < maxTabs; presses++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (name.test(now)) return;
    passed.push(now);
  }
  throw new Error(`${key} does not lead to ${name}, but to:\n${passed.join('\n')}`);
}

const tabTo = (page: Page, name: RegExp): Promise<void> => pressUntil(page, 'Tab', name);
const tabBackTo = (page: Page, name: RegExp): Promise<void> => pressUntil(page, 'Shift+Tab', name);

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Has messages stay: a busy machine takes longer for a walk than they are shown. */
const keepMessages = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const { setTimeout } = window;
    window.setTimeout = (run, ms, ...args) => setTimeout(run, ms >= 5000 ? 600_000 : ms, ...args);
  })()`);

const plant = ({ call }: Gardener, name: string, x: number, y: number) =>
  call('POST', '/api/points', { pointer_type: 'Plant', name, openfarm_slug: 'beet', x, y, z: 0 });

const program = ({ call }: Gardener, name: string) =>
  call('POST', '/api/sequences', { name, body: [{ kind: 'wait', args: { milliseconds: 1 } }] });

describe('by keyboard alone', () => {
  const server = consoleServer();

  it('the map is walked: plants are reached, moved, changed, deleted, brought back and added; it is zoomed and panned', async () => {
    const ada = await gardener(server);
    await plant(ada, 'Near', 300, 300);
    await plant(ada, 'Far', 900, 320);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('button', { name: /^Near/ }).waitFor();
    await keepMessages(page);
    await tabTo(page, /^link "Skip to content"/);
    await press(page, 'Enter');
    await tabTo(page, /^group "Map: arrow keys/);
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    const before = await bed.boundingBox();
    await press(page, '+', 'ArrowRight');
    const after = await bed.boundingBox();
    expect(after?.width).toBeGreaterThan(Number(before?.width));
    await press(page, 'ArrowDown');
    expect((await bed.boundingBox())?.y).toBeLessThan(Number(after?.y));
    await press(page, '0');
    expect(await bed.boundingBox()).toEqual(before);

    await tabTo(page, /^button "Near, plant at 300, 300"/);
    await press(page, 'ArrowRight', 'Enter');
    await page.getByRole('heading', { name: 'Far' }).waitFor();
    // The panel takes the focus, and Escape brings it back.
    await focusMoves(page, /^heading "Far"/);
    await press(page, 'Escape');
    await focusMoves(page, /^button "Far, plant at 900, 320"/);
    await page.getByRole('heading', { name: 'Far' }).waitFor({ state: 'detached' });
    await press(page, 'Enter');
    await focusMoves(page, /^heading "Far"/);
    await tabTo(page, /^button "Move with arrow keys"/);
    await press(page, 'Enter', 'ArrowRight', 'Shift+ArrowDown', 'Enter');
    await page.getByRole('button', { name: 'Far, plant at 910, 420' }).waitFor();
    expect(await focused(page)).toMatch(/^button "Move with arrow keys"/);
    await tabTo(page, /^textbox "Name/);
    await press(page, 'Control+a');
    await page.keyboard.type('Beetroot');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Beetroot, plant at 910, 420' }).waitFor();
    expect(await focused(page)).toMatch(/^textbox "Name/);

    await tabBackTo(page, /^button "Delete"/);
    await press(page, 'Enter');
    await page.getByText('Beetroot was deleted.').waitFor();
    await focusMoves(page, /^heading "Map"/);
    expect(await isFocusShown(page)).toBe(true);
    await press(page, 'F6');
    await focusMoves(page, /^region "Messages"/);
    await tabTo(page, /^button "Undo"/);
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Beetroot, plant at 910, 420' }).waitFor();
    // The other messages keep the focus until it is sent back.
    await focusMoves(page, /^alertdialog "Far was changed/);
    await press(page, 'F6');
    await focusMoves(page, /^heading "Map"/);

    await press(page, 'Control+k');
    await focusMoves(page, /^searchbox "A page/);
    await page.keyboard.type('Near');
    await page.getByRole('menuitem', { name: /^Near/ }).waitFor();
    await press(page, 'Enter');
    await focusMoves(page, /^heading "Near"/);
    await press(page, 'Escape');
    await focusMoves(page, /^button "Near, plant/);

    await tabBackTo(page, /^button "Layers"/);
    await pressUntil(page, 'ArrowDown', /^button "Add a plant"/);
    await press(page, 'Enter');
    await focusMoves(page, /^searchbox "Which plant\?"/);
    await page.keyboard.type('tomatoe');
    await page.getByRole('button', { name: 'Tomato', exact: true }).waitFor();
    // Enter takes the first one.
    await press(page, 'Enter');
    await focusMoves(page, /^heading "Tomato"/);
    await page.getByText('500 mm apart, rows 800 mm apart').waitFor();
    await tabTo(page, /^textbox "First x/);
    await press(page, 'Control+a');
    await page.keyboard.type('1200');
    await tabTo(page, /^textbox "First y/);
    await press(page, 'Control+a');
    await page.keyboard.type('600');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Tomato, plant at 1200, 600' }).waitFor();
    await press(page, 'Escape');
    await focusMoves(page, /^heading "Map"/);
  });

  it('a program is made, sorted, changed, saved and run', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const id = numberAt(await program(ada, 'Rinse'), 'id');
    const page = await openConsole(open, server, ada, '/programs');
    const steps = page.getByRole('grid', { name: 'Steps' }).getByRole('row');
    await page.getByRole('row', { name: 'Rinse' }).waitFor();
    await tabTo(page, /^row "Rinse/);
    await press(page, 'Enter');
    await steps.first().waitFor();
    await tabTo(page, /^searchbox "Find a step"/);
    await page.keyboard.type('message');
    await tabTo(page, /^row "Message"/);
    await press(page, 'Enter');
    await expect.poll(() => steps.count()).toBe(2);
    await tabTo(page, /^textbox "Message/);
    await page.keyboard.type('Rinsed.');
    await steps.nth(1).getByText('Rinsed.').waitFor();

    await tabBackTo(page, /^row "1\. Wait/);
    await pressUntil(page, 'ArrowRight', /^button "Drag Wait/);
    // The focus goes to the places between the steps, which are rows, too.
    await press(page, 'Enter');
    await focusMoves(page, /^button "Insert between 1\. Wait/);
    await press(page, 'ArrowDown');
    await focusMoves(page, /^button "Insert after 2\. Message/);
    await press(page, 'Enter');
    await focusMoves(page, /^row "2\. Wait/);
    expect(await steps.nth(1).innerText()).toContain('Wait');
    await press(page, 'Control+z');
    await expect.poll(() => steps.nth(1).innerText()).toContain('Message');
    await page.getByRole('status').filter({ hasText: 'Undone.' }).waitFor();
    await press(page, 'Control+y');
    await expect.poll(() => steps.nth(1).innerText()).toContain('Wait');

    await pressUntil(page, 'ArrowDown', /^row "2\. Wait/);
    await press(page, 'Enter');
    await tabTo(page, /^textbox "Time \(ms\)/);
    await press(page, 'Control+a');
    await page.keyboard.type('5');
    await press(page, 'Control+s');
    await page.getByText('“Rinse” was saved.').waitFor();
    await focusMoves(page, /^textbox "Time \(ms\)/);
    expect(await ada.call('GET', `/api/sequences/${id}`)).toMatchObject({
      body: [{ kind: 'send_message' }, { kind: 'wait', args: { milliseconds: 5 } }],
    });
    await tabBackTo(page, /^link "Run"/);
    await press(page, 'Enter');
    await tabTo(page, /^button "Run now"/);
    await press(page, 'Enter');
    await page.getByRole('list', { name: 'What the robot says' }).getByText('Rinsed.').waitFor();
    await page.getByText('Done.', { exact: true }).waitFor();
    await focusMoves(page, /^button "Run now"/);
  });

  it('the focus goes with a part of a step that is moved, and at an end of the list to the way back', async () => {
    const ada = await gardener(server, 'bea');
    const part = (axis: string) => ({
      kind: 'axis_overwrite',
      args: { axis, axis_operand: { kind: 'numeric', args: { number: 1 } } },
    });
    const [x, y, z] = [part('x'), part('y'), part('z')];
    const body = [{ kind: 'move', args: {}, body: [x, y, z] }];
    const id = numberAt(await ada.call('POST', '/api/sequences', { name: 'Go', body }), 'id');
    const page = await openConsole(open, server, ada, `/programs/${id}?step=1`);
    await page.getByRole('button', { name: 'Move down' }).first().focus();
    await press(page, 'Enter');
    await focusMoves(page, /^button "Move down"/);
    await press(page, 'Enter');
    await focusMoves(page, /^button "Move up"/);
    await press(page, 'Enter', 'Control+s');
    await page.getByText('“Go” was saved.').waitFor();
    expect(await ada.call('GET', `/api/sequences/${id}`)).toMatchObject({ body: [{ body: [y, x, z] }] });
  });

  it('the calendar is walked: a day is reached, an event is made, opened and deleted, and the next month is shown', async () => {
    const ada = await gardener(server);
    await program(ada, 'Rinse');
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01');
    await page.getByRole('group', { name: 'Sunday, June 1', exact: true }).waitFor();
    await tabTo(page, /^link "Sunday, June 1"/);
    await press(page, 'ArrowDown', 'ArrowRight', 'ArrowRight');
    expect(await focused(page)).toMatch(/^link "Tuesday, June 10"/);
    await press(page, '?');
    await page.getByRole('dialog').getByText('With ← → ↓: go from day to day').waitFor();
    await press(page, 'Escape');
    await focusMoves(page, /^link "Tuesday, June 10"/);
    await press(page, 'Tab');
    expect(await focused(page)).toMatch(/^link "Schedule something on Tuesday, June 10"/);
    await press(page, 'Enter');
    await page.getByRole('dialog', { name: 'Schedule something' }).waitFor();
    await tabTo(page, /^combobox "What to run"/);
    await page.keyboard.type('rin');
    await page.getByRole('option', { name: /Rinse$/ }).waitFor();
    await press(page, 'ArrowDown', 'Enter');
    await tabTo(page, /^button "Schedule"/);
    await press(page, 'Enter');
    const run = page.getByRole('group', { name: 'Tuesday, June 10' }).getByRole('link', { name: /7:30\sAM Rinse/ });
    await run.waitFor();
    await focusMoves(page, /^link "Schedule something on Tuesday, June 10"/);

    await tabTo(page, /^link "7:30\sAM Rinse"/);
    await press(page, 'Enter');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Escape');
    await focusMoves(page, /^link "7:30\sAM Rinse"/);
    await press(page, 'Enter');
    await tabTo(page, /^button "Delete"/);
    const isClosed = page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.route('**/api/farm_events/*', async (route) => {
      // It closes before it could say that the event is missing.
      await isClosed;
      await route.continue();
    });
    await press(page, 'Enter');
    await run.waitFor({ state: 'detached' });
    await focusMoves(page, /^heading "Schedule"/);

    await tabTo(page, /^button "Later"/);
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'July 2031' }).waitFor();
    expect(await focused(page)).toMatch(/^button "Later"/);
  });
});
