import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { at } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import {
  consoleServer,
  type Gardener,
  gardener,
  openAsViewer,
  openConsole,
  ownConsoleServer,
  startRobot,
} from './garden-page.ts';

const open = suiteBrowser();
/** Opens pages; the promise resolves when one of them gets messages of the robot over a WebSocket: after two responses of the broker. */
function watchedSockets() {
  let subscribed: () => void;
  const isSubscribed = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  return {
    isSubscribed,
    async open(options?: BrowserContextOptions) {
      const page = await open(options);
      page.on('websocket', (socket) => {
        let frames = 0;
        socket.on('framereceived', () => ++frames === 2 && subscribed());
      });
      return page;
    },
  };
}

const longWait = { kind: 'wait', args: { milliseconds: 100_000 } };

describe('the emergency stop of the console', () => {
  const server = consoleServer();

  /** Has the robot run a program that ends only when it is stopped. Resolves with the robot's message then. */
  const runLong = ({ call }: Gardener) => call('POST', '/api/commands', { program: longWait, wait: 60 });

  it('stops a running program, says so, and unlocks after a confirmation', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    await ada.call('PATCH', '/api/web_app_config', { disable_emergency_unlock_confirmation: false });
    const page = await openConsole(open, server, ada, '/map', { viewport: phone, hasTouch: true });
    await page.getByText('Ready').waitFor();
    const program = runLong(ada);
    await page.getByText('Busy').waitFor();
    const state = page.getByRole('status').getByRole('link', { name: 'Robot: Busy' });
    expect(await state.getAttribute('href')).toBe('/console/robot');
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    await page
      .getByRole('alert')
      .getByText(/The robot has stopped/)
      .waitFor();
    expect(at(await program, 'status')).toBe('error');
    await page.getByText('Stopped', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Unlock' }).click();
    const question = page.getByRole('alertdialog', { name: 'Unlock the robot?' });
    // The stop is within reach while a dialog is open.
    await page.getByRole('button', { name: 'Emergency stop' }).click({ trial: true });
    await question.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Ready').waitFor();
    await page.getByText(/The robot has stopped/).waitFor({ state: 'detached' });

    await ada.call('PATCH', '/api/web_app_config', { disable_emergency_unlock_confirmation: true });
    await page.reload();
    await page.getByText('Ready').waitFor();
    const hasStopped = page.getByRole('alert').getByText(/The robot has stopped/);
    await page.keyboard.press('F8');
    await hasStopped.waitFor();
    await page.evaluate(`{
      const banner = document.querySelector('[role=alert]');
      window.said = [];
      new MutationObserver(() => said.push(banner.querySelector('p')?.textContent.trim() ?? '')).observe(banner, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    }`);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Ready').waitFor();
    // Not that it is still locked, before its next status arrives.
    const saidSince = "[...new Set(said.slice(said.indexOf('Unlocking…')))]";
    await expect.poll(() => page.evaluate(saidSince)).toEqual(['Unlocking…', '']);

    // A stop while the robot is being unlocked: the unlock must not arrive after it.
    await page.keyboard.press('F8');
    await hasStopped.waitFor();
    const unlock = '**/api/robot/unlock';
    const isTakenBack = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/unlock'));
    await page.route(unlock, () => page.keyboard.press('F8'));
    await page.getByRole('button', { name: 'Unlock' }).click();
    await isTakenBack;
    await hasStopped.waitFor();
    await page.unroute(unlock);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Ready').waitFor();
  });

  it('stops over the WebSocket while every request hangs, and by the key in a field', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const { open: openWatched, isSubscribed } = watchedSockets();
    const page = await openConsole(openWatched, server, ada, '/map');
    await page.getByText('Ready').waitFor();
    await isSubscribed;
    await page.context().route('**/api/**', () => undefined);
    const program = runLong(ada);
    await page.getByText('Busy').waitFor();
    await page.keyboard.press('F8');
    await page
      .getByRole('alert')
      .getByText(/The robot has stopped/)
      .waitFor();
    expect(at(await program, 'status')).toBe('error');
  });

  it('needs nothing newer than requests and WebSockets, and says when it was not sent, or may not have been', async () => {
    const ada = await gardener(server);
    const limited = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      await page.clock.install();
      await page.addInitScript('delete AbortSignal.any; delete AbortSignal.timeout');
      await page.routeWebSocket(/.*/, (socket) => socket.close());
      return page;
    };
    const page = await openConsole(limited, server, ada, '/logs');
    await page.getByText('No robot yet').waitFor();
    await page.evaluate('delete globalThis.AbortController; delete globalThis.AbortSignal');
    const banner = page.getByRole('alert');
    const stop = '**/api/robot/emergency_stop';
    await page.context().route(stop, (route) => route.abort());
    await page.keyboard.press('F8');
    await banner.getByText(/^The stop was not sent\./).waitFor();
    await page.context().unroute(stop);

    let hasAsked = false;
    await page.context().route(stop, () => {
      hasAsked = true;
    });
    await banner.getByRole('button', { name: 'Stop again' }).click();
    await expect.poll(() => hasAsked).toBe(true);
    await page.clock.fastForward(10_000);
    await banner.getByText(/the stop may not have been sent/).waitFor();
    await page.context().unroute(stop);

    await startRobot(ada);
    // By the stream of the robot's messages.
    await page.getByRole('link', { name: 'Robot: Ready' }).waitFor();
    await page.keyboard.press('F8');
    await banner.getByText(/The robot has stopped/).waitFor();
  });

  it('shows a viewer that viewers cannot stop, and no controls', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const page = await openAsViewer(open, server, ada, await gardener(server, 'ben'), '/robot');
    await page.getByText(/^View only/).waitFor();
    await page.getByText('Ready.', { exact: true }).waitFor();
    for (const name of [/^Move x/, 'Go', 'Power off', 'Take a photo', /virtual robot/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    await page
      .getByRole('alert')
      .getByText(/viewers cannot stop its robot/)
      .waitFor();
    expect(at(await ada.call('GET', '/api/robot'), 'status.locked')).toBe(false);
  });

  it('stops while nothing of the page can be read, and says when no robot is there', async () => {
    const ada = await gardener(server);
    const hanging = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      await page.context().route(/\/api\/(gardens|points|web_app_config)/, () => undefined);
      return page;
    };
    const page = await openConsole(hanging, server, ada, '/map');
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    await page
      .getByRole('alert')
      .getByText(/No robot is connected/)
      .waitFor();
  });
});

describe('the emergency stop of the console without a message broker', () => {
  const server = ownConsoleServer('sqlite', { MQTT_PORT: '0' });

  it('asks the server first, and tries no WebSocket', async () => {
    const ada = await gardener(server);
    let asked: Promise<unknown> | undefined;
    let sockets = 0;
    const watched = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      page.on('websocket', () => sockets++);
      asked = page.waitForResponse('**/api/server');
      return page;
    };
    const page = await openConsole(watched, server, ada, '/map');
    await asked;
    await page.keyboard.press('F8');
    await page
      .getByRole('alert')
      .getByText(/No robot is connected/)
      .waitFor();
    expect(sockets).toBe(0);
  });
});
