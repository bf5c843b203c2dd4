import { describe, expect, it } from 'vitest';
import { at, numberAt, textAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describe('the robot page of the console', () => {
  const server = consoleServer();

  it('starts the virtual robot, moves it by button, key and form, and follows its position', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/peripherals', { label: 'Pump', pin: 9, mode: 0 });
    const page = await openConsole(open, server, ada, '/robot?step=10', { viewport: phone, hasTouch: true });
    await page.getByText('No robot has been connected yet.').waitFor();
    // Reports of a robot are not kept, its version is.
    const headers = { 'user-agent': 'FarmbotOS/15.4.6 (rpi4)' };
    await server.client.send('GET', '/api/device', { token: ada.token, headers });
    await page.reload();
    await page.getByText('Not connected. It has reported nothing since the server was started.').waitFor();
    expect(await page.getByRole('button', { name: 'Move x by 10 mm' }).isDisabled()).toBe(true);
    const position = page.getByRole('region', { name: 'Position', exact: true });
    const read = page.waitForResponse('**/api/robot');
    // A slow response: reports of the robot in between are newer.
    await page.route(
      '**/api/robot',
      async (route) => {
        const response = await route.fetch();
        await position.getByText('10', { exact: true }).waitFor();
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Start the virtual robot' }).click();
    await page.getByText('The virtual robot runs.').waitFor();

    await page.getByRole('button', { name: 'Move x by 10 mm' }).click();
    await (await read).finished();
    await page.getByText('Move x by 10 mm: done.').waitFor();
    expect(await position.getByText('10', { exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Move x by 10 mm' }).press('ArrowDown');
    await page.getByText('Move y by 10 mm: done.').waitFor();
    await position.getByText('10', { exact: true }).nth(1).waitFor();

    await page.getByRole('textbox', { name: 'X (mm)' }).fill('4200');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    const beyond = page.getByRole('alertdialog', { name: 'Go beyond the bed?' });
    await beyond.getByText(/2900 by 1230 mm, and x 4200 is outside/).waitFor();
    await beyond.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('textbox', { name: 'X (mm)' }).fill('42');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.getByText('Go to x 42: done.').waitFor();
    await position.getByText('42', { exact: true }).waitFor();
    expect(at(await ada.call('GET', '/api/robot'), 'status.position')).toEqual({ x: 42, y: 10, z: 0 });

    await page.getByText('Pump', { exact: true }).click();
    await page.getByText('Pump on: done.').waitFor();
    await page.getByRole('switch', { name: 'Pump', checked: true }).waitFor({ state: 'attached' });

    await page.getByRole('button', { name: 'Power off' }).click();
    const question = page.getByRole('alertdialog', { name: 'Power off?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('runs pinned programs with their parameters, takes a photo, finds and sets home, and shows reports of the robot', async () => {
    const ada = await gardener(server);
    const locals = {
      kind: 'scope_declaration',
      args: {},
      body: [
        {
          kind: 'parameter_declaration',
          args: { label: 'Greeting', default_value: { kind: 'text_placeholder', args: {} } },
        },
      ],
    };
    const lua = { kind: 'lua', args: { lua: 'error(variable("Greeting"))' } };
    const program = { name: 'Complain', pinned: true, args: { locals }, body: [lua] };
    await ada.call('POST', '/api/sequences', program);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/robot');
    await page.getByRole('button', { name: 'Run Complain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run Complain' });
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText(/Fill in all fields/).waitFor();
    await dialog.getByLabel('Greeting').fill('too dry');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('status')
      .getByText(/Run Complain: the robot reported: .*too dry/)
      .waitFor();

    await page.getByRole('button', { name: 'Take a photo' }).click();
    await page.getByRole('img', { name: /Newest photo/ }).waitFor();
    expect(textAt(await ada.call('GET', '/api/images'), '0.attachment_url')).toContain('/photos/');

    const position = async () => at(await ada.call('GET', '/api/robot'), 'status.position');
    const goTo = async (x: string, y: string) => {
      await page.getByRole('textbox', { name: 'X (mm)' }).fill(x);
      await page.getByRole('textbox', { name: 'Y (mm)' }).fill(y);
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.getByText(`Go to x ${x}, y ${y}: done.`).waitFor();
    };
    await goTo('40', '30');
    await page.getByRole('button', { name: 'Axis' }).click();
    await page.getByRole('option', { name: 'Y', exact: true }).click();
    await page.getByRole('button', { name: 'Set home here' }).click();
    const question = page.getByRole('alertdialog', { name: 'Make this the new home?' });
    await question.getByText(/^The present position becomes 0\./).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await position()).toEqual({ x: 40, y: 30, z: 0 });
    await page.getByRole('button', { name: 'Set home here' }).click();
    await question.getByRole('button', { name: 'Set home here' }).click();
    await page.getByText('Set home (y): done.').waitFor();
    await expect.poll(position).toEqual({ x: 40, y: 0, z: 0 });
    await goTo('40', '20');
    await page.getByRole('button', { name: 'Find home', exact: true }).click();
    await page.getByText('Find home (y): done.').waitFor();
    await expect.poll(position).toEqual({ x: 40, y: 0, z: 0 });
    await page.getByRole('button', { name: 'Axis' }).click();
    await page.getByRole('option', { name: 'All axes' }).click();
    await page.getByRole('button', { name: 'Find home', exact: true }).click();
    await page.getByText('Find home (all): done.').waitFor();
    await expect.poll(position).toEqual({ x: 0, y: 0, z: 0 });
  });

  it('follows the settings of home and go buttons, and leaves out sensors and webcams', async () => {
    const ada = await gardener(server);
    const stake = { pointer_type: 'GenericPointer', name: 'Stake', x: 300, y: 200, z: -50 };
    const id = numberAt(await ada.call('POST', '/api/points', stake), 'id');
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/robot');
    await page.getByRole('button', { name: 'Find home (all)' }).click();
    await page.getByText('Find home (all): done.').waitFor();
    await page.getByRole('link', { name: 'Sensors' }).waitFor();

    const hidden = { hide_sensors: true, hide_webcam_widget: true };
    await ada.call('PATCH', '/api/web_app_config', { ...hidden, home_button_homing: false, go_button_axes: 'X' });
    // Changes of these settings are not announced.
    await page.reload();
    await page.getByRole('button', { name: 'Go home (all)' }).click();
    await page.getByText('Go home (all): done.').waitFor();
    await page.goto(`${server.base}/console/things`);
    await page.getByRole('link', { name: /^Tools/ }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: /^(Sensors|Webcams)/ }).count()).toBe(0);

    const placeOf = async (): Promise<unknown> => at(await ada.call('GET', '/api/robot'), 'status.position');
    await page.goto(`${server.base}/console/map?point=${id}`);
    await page.getByRole('button', { name: 'Move the robot here (X)' }).click();
    await page.getByText('The robot is at 300, 0.').waitFor();
    await expect.poll(placeOf).toEqual({ x: 300, y: 0, z: 0 });
    await ada.call('PATCH', '/api/web_app_config', { go_button_axes: 'XYZ' });
    await page.reload();
    await page.getByRole('button', { name: 'Move the robot here (X, Y, Z)' }).click();
    await page.getByText('The robot is at 300, 200.').waitFor();
    await expect.poll(placeOf).toEqual({ x: 300, y: 200, z: -50 });
  });

  it('says on the map that a new password ended the virtual robot, and starts it again', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const renewed = 'two rakes in the shed';
    await ada.call('PATCH', '/api/users', {
      password: ada.password,
      new_password: renewed,
      new_password_confirmation: renewed,
    });
    const zoe = { ...ada, password: renewed };
    const page = await openConsole(open, server, zoe, '/robot', { viewport: phone, hasTouch: true, locale: 'fr-FR' });
    await page.getByText(/Sa session est terminée, comme après un changement du mot de passe/).waitFor();
    await page.goto(`${server.base}/console/map`);
    await page.getByText(/Le robot virtuel s’est arrêté/).waitFor();
    await page.getByRole('button', { name: 'Le redémarrer' }).click();
    await page.getByText(/Le robot virtuel s’est arrêté/).waitFor({ state: 'hidden' });
    await expect.poll(() => ada.call('GET', '/api/virtual_robot')).toMatchObject({ running: true, connected: true });
  });

  it('says in the time of the garden when the robot was last heard', async () => {
    const ada = await gardener(server);
    await ada.call('PATCH', '/api/device', { timezone: 'Pacific/Auckland' });
    const page = await openConsole(open, server, ada, '/logs');
    await page.route('**/api/robot', async (route) => {
      const response = await route.fetch();
      const status = { received_at: '2026-01-02T20:30:00.000Z' };
      await route.fulfill({ response, json: { ...(await response.json()), connected: false, status } });
    });
    await page.reload();
    await page.getByRole('link', { name: 'Robot offline since Jan 3, 2026' }).waitFor();
  });
});
