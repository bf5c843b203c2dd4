import { expect, it } from 'vitest';
import { users } from '../../src/accounts/users.ts';
import { acrossDevices } from '../../src/db/table.ts';
import { devices } from '../../src/device/devices.ts';
import { tools } from '../../src/garden/tools.ts';
import { resources } from '../../src/resources.ts';
import type { TestResponse } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { example, hasExample } from '../support/examples.ts';
import { ownedResources, suiteAccounts, victimMarker } from '../support/two-accounts.ts';

// Attempts of one account to read or change records of another.

/** Operations that ignore the id in the path or skip foreign records. */
const ignoresId =
  /^(\w+ \/api\/(device|fbos_config|firmware_config|web_app_config|users)\/|DELETE \/api\/(points|logs)\/)/;

describeEngines('another account', (engine) => {
  const both = suiteAccounts(engine);

  it('cannot use foreign ids in paths', async () => {
    const { ids, operations } = both;
    await both.expectUnchanged(async () => {
      const responses: TestResponse[] = [];
      for (const { method, path, fields } of operations.filter((each) => each.path.includes('{'))) {
        const family = path.split('/')[2] ?? '';
        if (family === 'global_bulletins' || family === 'first_party_farmwares') continue;
        const isAdministrative = family === 'admin';
        const id = isAdministrative ? both.victim.userId : ids[family];
        expect(id, path).toBeDefined();
        const response = await both.asAttacker(
          method,
          path.replace(/\{\w+\}/, String(id)),
          fields === null ? undefined : {},
        );
        const expected = isAdministrative ? 403 : ignoresId.test(`${method} ${path}`) ? 200 : 404;
        expect(response.status, `${method} ${path} ${response.text}`).toBe(expected);
        responses.push(response);
      }
      return responses;
    });
  });

  it('cannot use foreign ids in fields, on create or update', async () => {
    const { server, attacker, ids } = both;
    await both.expectUnchanged(async () => {
      const responses: TestResponse[] = [];
      for (const { name, fields } of resources.filter(hasExample)) {
        const own = (await both.as(attacker, 'POST', `/api/${name}`, await example(server, name, attacker))).json.id;
        for (const [field, { traits }] of Object.entries(fields)) {
          if (!traits.foreignKey || !traits.ownership) continue;
          const foreign = traits.foreignKey.table === 'sequences' ? ids.sequences : ids[traits.foreignKey.table];
          const isSlot = field === 'tool_id';
          const body = {
            ...(await example(server, name, attacker)),
            ...(isSlot && { pointer_type: 'ToolSlot' }),
            ...(name === 'pin_bindings' && { special_action: undefined }),
            [field]: foreign,
          };
          const owner = isSlot
            ? (await both.as(attacker, 'POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 1 })).json.id
            : own;
          for (const [method, path] of [
            ['POST', `/api/${name}`],
            ['PATCH', `/api/${name}/${owner}`],
          ] as const) {
            const response = await both.asAttacker(method, path, method === 'POST' ? body : { [field]: foreign });
            responses.push(response);
            if (traits.ownership === 'null')
              expect([response.status, response.json[field]], `${method} ${path} ${field}`).toEqual([200, null]);
            else
              expect([404, 422], `${method} ${path} ${field}: ${response.status} ${response.text}`).toContain(
                response.status,
              );
          }
        }
      }
      for (const [method, path, body, key] of [
        ['PATCH', '/api/device', { mounted_tool_id: ids.tools }, 'mounted_tool_id'],
        ['PATCH', '/api/fbos_config', { boot_sequence_id: ids.sequences }, 'boot_sequence_id'],
        ['POST', '/api/point_groups', { name: 'x', point_ids: [ids.points] }, 'points'],
      ] as const) {
        const response = await both.asAttacker(method, path, body);
        expect([response.status, Object.keys(response.json)], path).toEqual([422, [key]]);
        responses.push(response);
      }
      return responses;
    });
  });

  it('cannot transfer records by sending owner ids', async () => {
    const { server, attacker, victim, ids } = both;
    await both.expectUnchanged(async () => {
      const responses: TestResponse[] = [];
      const claims = {
        device_id: victim.deviceId,
        user_id: victim.userId,
        device: victim.deviceId,
        user: { id: victim.userId },
      };
      for (const name of ownedResources.filter((each) => each !== 'alerts')) {
        const response = await both.asAttacker('POST', `/api/${name}`, {
          ...(await example(server, name, attacker)),
          ...claims,
          id: ids[name],
        });
        expect(response.status, `${name} ${response.text}`).toBe(200);
        expect(response.json.id).not.toBe(ids[name]);
        if ('device_id' in response.json) expect(response.json.device_id).toBe(attacker.deviceId);
        responses.push(response);
      }
      for (const path of ['/api/device', '/api/fbos_config', '/api/web_app_config', `/api/users/${victim.userId}`]) {
        const response = await both.asAttacker('PATCH', path, { ...claims, id: victim.deviceId, name: 'Attacker' });
        expect([200, 422], path).toContain(response.status);
        responses.push(response);
      }
      expect((await both.as(victim, 'GET', '/api/users')).json).toHaveLength(1);
      return responses;
    });
  });

  it('cannot delete or group foreign points by lists of ids', async () => {
    const { attacker, ids } = both;
    await both.expectUnchanged(async () => {
      const point = async () =>
        (await both.as(attacker, 'POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 1 })).json.id;
      const [first, second] = [await point(), await point()];
      const group = (await both.as(attacker, 'POST', '/api/point_groups', { name: 'Mine', point_ids: [first] })).json
        .id;
      const responses = [
        await both.asAttacker('POST', '/api/point_groups', { name: 'Both', point_ids: [first, ids.points] }),
        await both.asAttacker('PATCH', `/api/point_groups/${group}`, { point_ids: [first, second, ids.points] }),
        await both.asAttacker('DELETE', `/api/points/${first},${ids.points}`),
      ];
      expect(responses.map(({ status }) => status)).toEqual([422, 422, 200]);
      expect(
        (await both.as(attacker, 'GET', '/api/point_groups')).json.map(({ name }: { name: string }) => name),
      ).not.toContain('Both');
      expect((await both.as(attacker, 'GET', `/api/point_groups/${group}`)).json.point_ids).toEqual([]);
      expect((await both.as(attacker, 'GET', `/api/points/${second}`)).status).toBe(200);
      return responses;
    });
  });

  it('cannot find foreign records by searches, filters, pages or criteria', async () => {
    const { victim, ids, operations } = both;
    const { deviceId, userId } = victim;
    const criteria = {
      string_eq: { name: [victimMarker], 'meta.owner': [victimMarker] },
      number_eq: { id: [ids.points], device_id: [deviceId] },
      number_gt: { id: -1 },
    };
    const queries = [
      ...[
        `device_id=${deviceId}`,
        `user_id=${userId}`,
        `id=${ids.points}`,
        `name=${victimMarker}`,
        `meta[owner]=${victimMarker}`,
        'filter=all',
        `message=${victimMarker}`,
      ],
      ...['page=1&per=1000000', "name=' or 1=1 --", 'x=1 or 1=1', 'page=-1&per=-1', 'page=1&per=-5'],
    ];
    const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    await both.expectUnchanged(async () => {
      const responses = await Promise.all(
        lists.flatMap(({ path }) =>
          queries.map((query) => both.asAttacker('GET', `${path}?${query.replaceAll(' ', '%20')}`)),
        ),
      );
      const bodies = [
        { device_id: deviceId },
        { id: ids.points, name: { $ne: '' } },
        { meta: { owner: victimMarker } },
        { name: `${victimMarker}` },
      ];
      for (const body of bodies) responses.push(await both.asAttacker('POST', '/api/points/search', body));
      const group = await both.asAttacker('POST', '/api/point_groups', {
        name: 'All of the victim',
        point_ids: [],
        criteria: { ...criteria, string_eq: {} },
      });
      expect([group.status, group.json.point_ids]).toEqual([200, []]);
      return [...responses, group];
    });
  });

  it('cannot learn addresses or take over accounts', async () => {
    const { attacker, victim } = both;
    await both.expectUnchanged(async () => {
      const { email } = victim;
      const wrong = { email, password: 'not the right one' };
      const responses = [
        await both.asAttacker('PATCH', '/api/users', { email }),
        await both.asAttacker('POST', '/api/users/control_certificate', wrong),
        await both.asAttacker('DELETE', '/api/users', { password: 'not the right one' }),
        await both.call(undefined, 'POST', '/api/tokens', { user: wrong }),
        await both.call(undefined, 'POST', '/api/users', {
          ...wrong,
          name: 'x',
          password_confirmation: wrong.password,
          agree_to_terms: true,
        }),
        await both.call(undefined, 'PUT', '/api/password_resets', {
          id: attacker.token,
          password: 'password124',
          password_confirmation: 'password124',
        }),
      ];
      expect(responses.map(({ status, json }) => [status, Object.keys(json)[0]])).toEqual([
        ...[
          [422, 'email'],
          [422, 'credentials'],
          [422, 'password'],
          [422, 'auth'],
          [422, 'email'],
          [422, 'reset'],
        ],
      ]);
      const [known, unknown] = [{ email }, { email: 'nobody@example.com' }];
      const request = async (body: object) => {
        const { status, text } = await both.call(undefined, 'POST', '/api/password_resets', body);
        return [status, text];
      };
      expect(await request(known)).toEqual(await request(unknown));
      return responses;
    });
  });

  it('is not changed outside its scope, which would leave its answers in memory', async () => {
    const { server, victim } = both;
    const all = server.app.server();
    const where = { id: victim.deviceId };
    const refused = (what: string) => `rows of ${what} are written in the scope of their device`;
    await expect(all.update(devices, { name: 'Mallory' }, { where })).rejects.toThrow(refused('devices'));
    await expect(all.delete(acrossDevices(tools), {})).rejects.toThrow(refused('tools'));
    // As the server counts sign-ins of many people at a time, and moves a person to another garden.
    const [user] = await all.rows(users, { where: { device_id: victim.deviceId } });
    await all.update(users, { sign_in_count: 2 }, { where: { id: user?.id ?? 0 } });
  });
});
