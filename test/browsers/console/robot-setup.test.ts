import { describe, expect, it } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, openConsole, overflowOf } from './garden-page.ts';

const open = suiteBrowser();

describe('the set-up of a robot in the console', () => {
  const server = consoleServer();

  it('goes from the software to the camera, and each step shows what the robot answers', async () => {
    const ada = await gardener(server);
    const bot = `device_${numberAt(await ada.call('GET', '/api/device'), 'id')}`;
    await ada.call('PATCH', '/api/firmware_config', { encoder_enabled_x: 0 });
    const page = await openConsole(open, server, ada, '/robot', { viewport: phone, hasTouch: true });
    await page.getByRole('link', { name: 'Set up' }).click();
    await page.getByRole('heading', { name: 'Set up the robot' }).waitFor();
    await page.getByText('The robot is not connected.').waitFor();

    const robot = await ScriptedRobot.connect(server.mqtt, { bot, token: ada.token });
    let requests = 0;
    /** Answers the next request, after a log, and returns its steps. */
    const answer = async (log: string, problem?: string) => {
      const { label, body } = await robot.request(++requests);
      await robot.publish('logs', { type: 'info', verbosity: 1, message: log, channels: [] });
      await page.getByText(log).waitFor();
      await robot.publish('from_device', {
        kind: problem === undefined ? 'rpc_ok' : 'rpc_error',
        args: { label },
        ...(problem !== undefined && { body: [{ kind: 'explanation', args: { message: problem } }] }),
      });
      return body.map(({ kind, args }) => ({ kind, args }));
    };

    await page.getByRole('button', { name: 'Check for updates and install them' }).click();
    expect(await answer('Nothing newer is there.')).toEqual([
      { kind: 'check_updates', args: { package: 'farmbot_os' } },
    ]);
    await page.getByText('Check for updates and install them: done.').waitFor();

    const flash = page.getByRole('button', { name: 'Flash the board', exact: true });
    expect(await flash.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Electronics' }).click();
    await page.getByRole('option', { name: 'Farmduino k15' }).click();
    await page.getByText('The board was chosen.').waitFor();
    await flash.click();
    await page.getByRole('alertdialog', { name: 'Flash the board?' }).getByRole('button', { name: 'Flash' }).click();
    expect(await answer('The board has a new firmware.')).toEqual([
      { kind: 'flash_firmware', args: { package: 'farmduino_k15' } },
    ]);
    await page.getByText('Flash the board: done.').waitFor();

    const x = page.getByRole('region', { name: 'X axis' });
    await x.getByText(/X does not notice its ends/).waitFor();
    expect(await x.getByRole('button', { name: 'Find the length of X' }).isDisabled()).toBe(true);
    await x.getByRole('textbox', { name: 'Length (mm)' }).fill('2800');
    await x.getByRole('textbox', { name: 'Length (mm)' }).blur();
    await page.getByText(/^Length of X: 2,?800 mm/).waitFor();
    expect(await ada.call('GET', '/api/firmware_config')).toMatchObject({ movement_axis_nr_steps_x: 14000 });

    const y = page.getByRole('region', { name: 'Y axis' });
    await y.getByRole('button', { name: 'Find the length of Y' }).click();
    // A robot stores what it has found.
    await ada.call('PATCH', '/api/firmware_config', { movement_axis_nr_steps_y: 6105 });
    expect(await answer('The motor stalls.', 'Stall detected on Y axis.')).toEqual([
      { kind: 'calibrate', args: { axis: 'y' } },
    ]);
    await y.getByText('the robot reported: Stall detected on Y axis.').waitFor();
    await expect.poll(() => y.getByRole('textbox', { name: 'Length (mm)' }).inputValue()).toBe('1221');

    await page.getByText('The height of the soil was not measured yet.').waitFor();
    await page.getByRole('button', { name: 'Measure the height of the soil here' }).click();
    const height = { pointer_type: 'GenericPointer', name: 'Soil', x: 10, y: 20, z: -312.5, radius: 0 };
    await ada.call('POST', '/api/points', { ...height, meta: { at_soil_level: 'true' } });
    expect(await answer('Measured.')).toEqual([{ kind: 'execute_script', args: { label: 'Measure Soil Height' } }]);
    await page.getByText(/Measured last: -312.5 mm at \(10, 20\)/).waitFor();

    await page.getByText('The camera was not calibrated yet.').waitFor();
    await page.getByRole('button', { name: 'Calibrate the camera' }).click();
    await ada.call('POST', '/api/farmware_envs', { key: 'CAMERA_CALIBRATION_camera_z', value: '-120' });
    await ada.call('POST', '/api/farmware_envs', { key: 'CAMERA_CALIBRATION_coord_scale', value: '0.8' });
    expect(await answer('Found the card.')).toEqual([
      { kind: 'execute_script', args: { label: 'camera-calibration' } },
    ]);
    await page.getByText('The camera was calibrated at a height of -120 mm.').waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Scale (mm/px)' }).inputValue()).toBe('0.8');

    await page.getByRole('textbox', { name: 'Offset in x (mm)' }).fill('35');
    await page.getByRole('button', { name: 'Home in photos' }).click();
    await page.getByRole('option', { name: 'Top left' }).click();
    await page.getByRole('textbox', { name: 'Scale (mm/px)' }).fill('0.75');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The settings of the camera were saved.').waitFor();
    const envs = await ada.call('GET', '/api/farmware_envs');
    const values = (Array.isArray(envs) ? envs : []).map((env) => [at(env, 'key'), at(env, 'value')]);
    expect(Object.fromEntries(values)).toEqual({
      CAMERA_CALIBRATION_camera_z: '-120',
      CAMERA_CALIBRATION_coord_scale: '0.75',
      CAMERA_CALIBRATION_camera_offset_x: '35',
      CAMERA_CALIBRATION_image_bot_origin_location: '"TOP_LEFT"',
    });
    expect(await overflowOf(page)).toBe(0);

    await page.getByRole('button', { name: 'Soft reset' }).click();
    const question = page.getByRole('alertdialog', { name: 'Reset the robot?' });
    await question.getByText(/forgets its network/).waitFor();
    await question.getByRole('button', { name: 'Soft reset' }).click();
    expect(await answer('Soft resetting...')).toEqual([{ kind: 'factory_reset', args: { package: 'farmbot_os' } }]);
    await page.getByText('Soft reset: done.').waitFor();
    await robot.end();
  });

  it('is for members who may change the garden', async () => {
    const [ada, bob] = [await gardener(server), await gardener(server, 'bob')];
    const page = await openAsViewer(open, server, ada, bob, '/robot/setup');
    await page.getByText('Members of the garden set the robot up.').waitFor();
    expect(await page.getByRole('button', { name: 'Soft reset' }).count()).toBe(0);
  });
});
