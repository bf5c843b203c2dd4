import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { waitUntil } from '../../support/robot-server.ts';

const hour = 3_600_000;
const noonAfter = (time: number): number => Math.ceil(time / (24 * hour)) * 24 * hour + 12 * hour;
const place = (x: number, y: number) => ({ kind: 'coordinate', args: { x, y, z: 0 } });
const applied = (data_value: object) => ({ kind: 'parameter_application', args: { label: 'parent', data_value } });

describeEngines('scheduled runs of a virtual robot in the server', (engine) => {
  it('runs once with its values when it is due, for events and for items of regimens', async () => {
    // From noon in UTC on, whatever time it is: the next morning in Paris is then less than a day away, as long as tokens are valid.
    const clock = {
      offset: noonAfter(systemClock.now()) - systemClock.now(),
      now: () => systemClock.now() + clock.offset,
    };
    const server = await startApp(engine, { HOST: '127.0.0.36', PORT: '0', MQTT_PORT: '1883' }, clock);
    await server.app.listen();
    const { token } = await server.signUp();
    const send = async (method: string, path: string, body?: object) => {
      const reply = await server.call(method, path, { token, ...(body && { body }) });
      expect([path, reply.status, reply.status === 200 ? null : reply.json]).toEqual([path, 200, null]);
      return reply.json;
    };
    const robot = (running: boolean) => send('PUT', '/api/virtual_robot', { running });
    const messages = async (): Promise<string[]> =>
      (await send('GET', '/api/logs')).map(({ message }: { message: string }) => message);
    const said = async (pattern: RegExp) => (await messages()).filter((message) => pattern.test(message));
    const until = (pattern: RegExp, count: number) =>
      waitUntil(async () => (await said(pattern)).length === count, String(pattern));
    await send('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    const parameter = { kind: 'parameter_declaration', args: { label: 'parent', default_value: place(0, 0) } };
    const offset = place(0, 0);
    const program = {
      name: 'Water plant',
      color: 'green',
      args: { version: 20180209, locals: { kind: 'scope_declaration', args: {}, body: [parameter] } },
      body: [
        {
          kind: 'move_absolute',
          args: { location: { kind: 'identifier', args: { label: 'parent' } }, offset, speed: 100 },
        },
      ],
    };
    const { id: executable_id } = await send('POST', '/api/sequences', program);
    const plant = { pointer_type: 'Plant', name: 'Tomato', x: 40, y: 30, z: 0 };
    const { id: pointer_id } = await send('POST', '/api/points', plant);
    expect(await robot(true)).toMatchObject({ connected: true });

    // An event that is created while the robot runs.
    const schedule = (start: number, changes: object = {}) =>
      send('POST', '/api/farm_events', {
        executable_type: 'Sequence',
        executable_id,
        repeat: 1,
        time_unit: 'never',
        start_time: new Date(start).toISOString(),
        body: [applied({ kind: 'point', args: { pointer_type: 'Plant', pointer_id } })],
        ...changes,
      });
    const base = Math.floor(clock.now() / hour + 1) * hour;
    await schedule(base);
    await schedule(base + hour, { body: [] });
    clock.offset += base - clock.now();
    await until(/^Runs "Water plant", scheduled for \d\d:00\.$/, 1);
    await until(/^Moved to \(40, 30, 0\)/, 1);

    // Restarted in the same minute, it does not run it again; a run that was due an hour ago is left out.
    await robot(false);
    expect(await robot(true)).toMatchObject({ connected: true });
    clock.offset += base + 2 * hour - clock.now();
    await send('GET', '/api/farm_events');

    // An item of a regimen, at 06:00 of the next day; the event gives the value of the regimen's variable.
    const item = { sequence_id: executable_id, time_offset: 30 * hour };
    const declared = { kind: 'parameter_declaration', args: { label: 'parent', default_value: place(1, 1) } };
    const regimen = { name: 'Daily', color: 'red', regimen_items: [item], body: [declared] };
    const { id: regimenId } = await send('POST', '/api/regimens', regimen);
    const daily = { executable_type: 'Regimen', executable_id: regimenId, body: [applied(place(50, 60))] };
    await schedule(clock.now(), daily);
    const [from, to] = [clock.now(), clock.now() + 48 * hour].map((ms) => new Date(ms).toISOString());
    const [run] = await send('GET', `/api/farm_events/occurrences?from=${from}&to=${to}`);
    expect(run.local).toMatch(/T06:00:00/);
    clock.offset += Date.parse(run.at) - clock.now();
    await until(/^Runs "Water plant", scheduled for 06:00\.$/, 1);
    await until(/^Moved to \(50, 60, 0\)/, 1);
    expect(await said(/^Runs /)).toHaveLength(2);
    expect(await said(/^Moved to /)).toHaveLength(2);

    // No person deleted the events that have ended.
    const changes = await send('GET', '/api/history?resource=FarmEvent');
    const deletions = changes.filter(({ action }: { action: string }) => action === 'deleted');
    expect(deletions).toHaveLength(2);
    for (const { actor } of deletions) expect(actor).toEqual({ kind: 'server', user_id: null, name: null, via: null });
    await server.close();
  });
});
