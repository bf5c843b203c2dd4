import { expect, it } from 'vitest';
import { osVersions } from '../../../src/robot/os-version.ts';
import type { Json } from '../../support/json.ts';
import { suiteRobotServer, waitUntil } from '../../support/robot-server.ts';

const garden = suiteRobotServer('sqlite', '127.0.0.35');

it.each(osVersions)('a robot with OS %s runs its boot sequence after each start, once', async (version) => {
  const gardener = await garden.signUp();
  const send = async (method: string, path: string, body: Json = null) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await garden.http.send(method, path, { token: gardener.token, headers, body });
    expect([path, status]).toEqual([path, 200]);
    // biome-ignore lint/suspicious/noExplicitAny: tests access records of any shape
    return json as any;
  };
  const messages = async (): Promise<string[]> =>
    (await send('GET', '/api/logs')).map(({ message }: { message: string }) => message);
  const count = async (text: string) => (await messages()).filter((message) => message.startsWith(text)).length;
  const { id: boot_sequence_id } = await send('POST', '/api/sequences', {
    name: 'Wake up',
    args: { version: 20180209, locals: { kind: 'scope_declaration', args: {}, body: [] } },
    body: [{ kind: 'move_relative', args: { x: 5, y: 0, z: 0, speed: 100 } }],
  });
  await send('PATCH', '/api/fbos_config', { boot_sequence_id });

  const { robot } = await garden.robot(gardener, { version });
  await waitUntil(async () => (await count('Moved to (5, 0, 0)')) === 1, 'the boot sequence');
  const program = (body: Json) => send('POST', '/api/commands', { program: body, wait: 30 });
  // Another synchronization is no start.
  expect(await program({ kind: 'sync', args: {} })).toMatchObject({ status: 'ok' });
  expect(await count('Runs the boot sequence.')).toBe(1);

  await program({ kind: 'reboot', args: { package: 'farmbot_os' } });
  await waitUntil(async () => (await count('Moved to (10, 0, 0)')) === 1, 'the boot sequence after the restart');
  expect(robot.position).toEqual({ x: 10, y: 0, z: 0 });

  await send('PATCH', '/api/fbos_config', { boot_sequence_id: null });
  await program({ kind: 'reboot', args: { package: 'farmbot_os' } });
  await waitUntil(async () => (await count('The virtual robot is ready.')) === 3, 'the second restart');
  expect(await program({ kind: 'wait', args: { milliseconds: 1 } })).toMatchObject({ status: 'ok' });
  expect(await count('Runs the boot sequence.')).toBe(2);
});
