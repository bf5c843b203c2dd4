import { describe, expect, it } from 'vitest';
import { suiteServer } from '../support/servers.ts';
import { suiteBrowser } from './browser.ts';

const open = suiteBrowser();

describe('/docs', () => {
  const server = suiteServer('sqlite');

  it('shows an operation and sends it, without inline styles and scripts', async () => {
    const page = await open();
    const response = await page.goto(`${server.base}/docs`);
    expect(response?.headers()['content-security-policy']).not.toContain('unsafe-inline');
    const operation = page.locator('.opblock', { hasText: '/health' }).first();
    await page.locator('.opblock-tag', { hasText: 'operation' }).first().click();
    await operation.locator('.opblock-summary').click();
    await operation.locator('.execute').click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  });
});
