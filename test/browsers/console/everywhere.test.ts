import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { demoBulletin } from '../../../src/seeding/demo-device.ts';
import { disabledBulletin } from '../../../src/webhooks/webhook-failures.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

describe('every page of the console', () => {
  const server = consoleServer();

  it('finds a plant by its name and opens it, and runs a command, by keyboard alone', async () => {
    const ada = await gardener(server);
    for (const [name, x] of [
      ['Carrot', 100],
      ['Sweet pea', 300],
    ] as const)
      await ada.call('POST', '/api/points', { pointer_type: 'Plant', name, openfarm_slug: 'pea', x, y: 200, z: 0 });
    const page = await openConsole(open, server, ada, '/settings');
    await page.getByRole('button', { name: /^Search/ }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search and commands' });
    await search.getByRole('searchbox').waitFor();
    await page.keyboard.type('pea');
    await search.getByRole('menuitem', { name: /^Sweet pea/ }).waitFor();
    expect(await search.getByRole('menuitem').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/map\?point=\d+$/);
    await page.getByRole('heading', { name: 'Sweet pea' }).waitFor();
    expect(await search.count()).toBe(0);

    await page.keyboard.press('Control+k');
    await search.getByRole('searchbox').waitFor();
    await page.keyboard.type('theme dark');
    await search.getByRole('menuitem', { name: /^Theme: Dark/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();

    // Pages have parts, and things of the garden lists.
    await page.keyboard.press('Control+k');
    await search.getByRole('searchbox').waitFor();
    await page.keyboard.type('webhook');
    await search.getByRole('menuitem', { name: /^Webhooks Account/ }).waitFor();
    await search.getByRole('searchbox').fill('tools');
    await search.getByRole('menuitem', { name: /^Tools Garden things/ }).waitFor();
    await search.getByRole('searchbox').fill('invite');
    await search.getByRole('menuitem', { name: /^Invite a person/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor();
    await page.keyboard.press('Control+k');
    await search.getByRole('searchbox').waitFor();
    await page.keyboard.type('add plant');
    await search.getByRole('menuitem', { name: /^Add a plant/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox', { name: 'Which plant?' }).waitFor();

    // An entry without a name of its own may be a setting.
    await page.keyboard.press('Control+k');
    await search.getByRole('searchbox').waitFor();
    await page.keyboard.type('robot software');
    await search.getByRole('menuitem', { name: /^Robot software\s*Settings/ }).waitFor();
    await search.getByRole('searchbox').fill('highest speed x');
    await search.getByRole('menuitem', { name: /^Find “highest speed x” in the settings/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Highest speed x' }).waitFor();
    // The settings of the browser are found, too, in the words of any language.
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('langue');
    await page.getByRole('button', { name: 'Language' }).waitFor();
    expect(await page.getByText('No setting matches.').count()).toBe(0);
    await page.goto(`${server.base}/console/map?point=999999`);
    await page.getByText('What this address leads to is no longer in the bed.').waitFor();
    // Unknown parts of an address are left out.
    await page.goto(`${server.base}/console/settings?part=nowhere&find=42`);
    await page.waitForURL(/\/console\/settings\?find=%2242%22$/);
    expect(await page.getByRole('searchbox', { name: 'Find a setting' }).inputValue()).toBe('42');
  });

  it('lists its keys when "?" is pressed, but not while it is typed', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/settings?part=os');
    await page.getByLabel('Find a setting').pressSequentially('why?');
    expect(await page.getByLabel('Find a setting').inputValue()).toBe('why?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(await help.count()).toBe(0);
    await page.getByLabel('Find a setting').blur();
    await page.keyboard.press('?');
    await help.getByText('Emergency stop').waitFor();
    expect(await help.innerText()).toContain('Ctrl + K');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.goto(`${server.base}/console/map`);
    await page.getByRole('toolbar', { name: 'Map tools' }).waitFor();
    await page.keyboard.press('?');
    await help.getByText('Zoom in').waitFor();
  });

  it('keeps the focus near a deleted element, and announces the titles of pages', async () => {
    const ada = await gardener(server);
    for (const name of ['Hoe', 'Rake', 'Seeder']) await ada.call('POST', '/api/tools', { name });
    const page = await openConsole(open, server, ada, '/things/tools');
    const tools = page.getByRole('table', { name: 'Tools' });
    await tools.getByRole('link', { name: 'Rake' }).click();
    await page.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await tools.getByRole('link', { name: 'Rake' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Tools');

    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('status').filter({ hasText: 'Settings · Potager' }).waitFor({ state: 'attached' });
    await page.goto(`${server.base}/console/nowhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('heading').count()).toBe(1);
    await page.getByRole('button', { name: 'Emergency stop' }).waitFor();
  });

  it('begins another page at its top, restores the scroll position on the way back, and keeps it within a page', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/settings?part=os', { viewport: { width: 1280, height: 500 } });
    const scroll = (): Promise<number> => page.evaluate('document.getElementById("main").scrollTop');
    await page.getByRole('main').getByRole('heading', { level: 2 }).last().scrollIntoViewIfNeeded();
    const place = await scroll();
    expect(place).toBeGreaterThan(200);
    await page.getByRole('link', { name: 'Account' }).first().click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    expect(await scroll()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await expect.poll(scroll).toBe(place);

    for (let i = 0; i < 40; i++) await ada.call('POST', '/api/tools', { name: `Tool ${String(i).padStart(2, '0')}` });
    await page.goto(`${server.base}/console/things/tools`);
    const last = page.getByRole('link', { name: 'Tool 39' });
    await last.scrollIntoViewIfNeeded();
    const before = await scroll();
    expect(before).toBeGreaterThan(200);
    await last.click();
    await page.getByRole('heading', { name: 'Tool 39' }).waitFor();
    expect(await scroll()).toBe(before);
    await page.goto(`${server.base}/health`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Tool 39' }).waitFor();
    await expect.poll(scroll).toBe(before);
    await page.reload();
    await expect.poll(scroll).toBe(before);
  });

  it('serves the files that systems need to install it as an app', async () => {
    const address = `${server.base}/console/manifest.webmanifest`;
    const page = await (await fetch(`${server.base}/console/`, { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('<link rel="manifest" href="/console/manifest.webmanifest">');
    const response = await fetch(address);
    expect(response.headers.get('content-type')).toBe('application/manifest+json');
    const manifest = (await response.json()) as { start_url: string; icons: { src: string; sizes: string }[] };
    expect(manifest.start_url).toBe('/console/map');
    const sizes = await Promise.all(
      manifest.icons
        .filter(({ src }) => src.endsWith('.png'))
        .map(async ({ src }) => {
          const icon = await fetch(new URL(src, address));
          const { format, width, height } = await sharp(Buffer.from(await icon.arrayBuffer())).metadata();
          return `${icon.headers.get('content-type')} ${format} ${width}x${height}`;
        }),
    );
    expect(sizes).toEqual(['image/png png 192x192', 'image/png png 512x512', 'image/png png 512x512']);
    const [drawing] = manifest.icons;
    expect((await fetch(new URL(drawing?.src ?? '', address))).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('shows the notices of a garden with a remedy, until they are dismissed', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/logs', { locale: 'fr-FR' });
    await page.getByRole('button', { name: '2 avis' }).click();
    const notices = page.getByRole('dialog', { name: 'Avis' });
    await notices.getByText('Bienvenue dans votre jardin').waitFor();
    await notices.getByRole('button', { name: 'Ne plus afficher : Bon à savoir' }).click();
    await notices.getByText('Bon à savoir').waitFor({ state: 'detached' });
    await expect.poll(() => ada.call('GET', '/api/alerts')).toMatchObject([{ problem_tag: 'api.user.not_welcomed' }]);
    await notices.getByRole('link', { name: 'Ajouter une plante sur le plan' }).click();
    await page.waitForURL('**/console/map?panel=plant');
    await page.getByRole('button', { name: '1 avis' }).waitFor();
  });

  it('shows news of the server in the language of the page, and an operator’s as they are', async () => {
    const ada = await gardener(server);
    const alert = { id: 1, created_at: 1, updated_at: '', priority: 99, problem_tag: 'api.bulletin.unread' };
    const { slug } = disabledBulletin;
    let news: object = disabledBulletin;
    const openAlerted: typeof open = async (options) => {
      const page = await open(options);
      await page.route('**/api/alerts', (route) => route.fulfill({ json: [{ ...alert, slug }] }));
      await page.route(`**/api/global_bulletins/${slug}`, (route) => route.fulfill({ json: news }));
      return page;
    };
    const page = await openConsole(openAlerted, server, ada, '/logs', { locale: 'fr-FR' });
    const notices = page.getByRole('dialog', { name: 'Avis' });
    await page.getByRole('button', { name: '1 avis' }).click();
    await notices.getByText('Un webhook a été désactivé').waitFor();
    await notices.getByRole('link', { name: 'Voir les webhooks' }).click();
    await page.waitForURL('**/console/account?part=webhooks');
    news = demoBulletin;
    await page.reload();
    await page.getByRole('button', { name: '1 avis' }).click();
    await notices.getByText('Un robot à vous').waitFor();
    expect(await notices.getByRole('link', { name: 'Voir les robots' }).getAttribute('href')).toBe('https://farm.bot');
    // The operator of this server has written other news under the same name.
    news = { ...disabledBulletin, content: 'Ask **Ada**, who runs this server.', href: '/docs', href_label: 'Read' };
    await page.reload();
    await page.getByRole('button', { name: '1 avis' }).click();
    await notices.getByText('Ask Ada, who runs this server.').waitFor();
    await notices.getByText('A webhook was switched off').waitFor();
    expect(await notices.getByRole('link', { name: 'Read' }).getAttribute('href')).toBe('/docs');
    expect(await notices.getByText('Un webhook a été désactivé').count()).toBe(0);
  });
});
