import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describe('the logs of the console', () => {
  const server = consoleServer();

  it('shows logs as they arrive, filters them, holds new ones back from a reader, downloads and deletes them', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const log = (message: string, type: string) => {
      const program = { kind: 'send_message', args: { message, message_type: type } };
      return ada.call('POST', '/api/commands', { program });
    };
    await ada.call('DELETE', '/api/logs/all');
    // The output of scripts: comparing it with sentences would take many seconds.
    await ada.call('POST', '/api/logs', { message: `=${'is: "a" is '.repeat(900)}`, type: 'debug' });
    await log('Watered the tomatoes', 'success');
    const page = await openConsole(open, server, ada, '/logs', { viewport: phone, hasTouch: true });
    const list = page.getByRole('list', { name: /newest first/ });
    await list.getByText('Watered the tomatoes').waitFor();

    await log('The tank is empty', 'error');
    await list.getByText('The tank is empty').waitFor({ timeout: 3000 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: 'Error' }).click();
    await list.getByText('Watered the tomatoes').waitFor({ state: 'detached' });
    await page.waitForURL('**/logs?kinds=error');
    await page.getByLabel('Search in messages').fill('tomato');
    await page.getByText('No log matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await list.getByText('Watered the tomatoes').waitFor();

    await page.getByRole('button', { name: 'Details: The tank is empty' }).click();
    await list.getByText('Verbosity').waitFor();
    await log('Looking around', 'info');
    await page.getByRole('button', { name: 'Show 1 new log' }).click();
    await list.getByText('Looking around').waitFor();
    // Sentences of a virtual robot have the words of the console.
    const sequence_id = numberAt(await ada.call('POST', '/api/sequences', { name: 'Water', body: [] }), 'id');
    const [_then, _else] = [
      { kind: 'execute', args: { sequence_id } },
      { kind: 'nothing', args: {} },
    ];
    const condition = { kind: '_if', args: { lhs: 'x', op: '<', rhs: 9, _then, _else } };
    await ada.call('POST', '/api/commands', { program: condition, wait: 60 });
    await list.getByText('x is 0: “x < 9” is true, so it runs a program.').waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('logs.csv');
    // No spreadsheet computes a message.
    expect(await readFile(await (await download).path(), 'utf8')).toContain(`,"'=is: ""a"" is is: `);
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('No logs yet').waitFor();
    // Nothing to filter, download or delete is left.
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });
});
