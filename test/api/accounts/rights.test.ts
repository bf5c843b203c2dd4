import inject from 'light-my-request';
import { describe, expect, it } from 'vitest';
import type { Rights, Role } from '../../../src/engine/rights.ts';
import { robotRights, roles } from '../../../src/engine/rights.ts';
import type { Route } from '../../../src/engine/route.ts';
import type { Scope } from '../../../src/engine/tags.ts';
import { scopeNames } from '../../../src/engine/tags.ts';
import type { ChannelName } from '../../../src/live/topics.ts';
import { channelNames } from '../../../src/live/topics.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { suiteAccount } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { createEdge, edgeSession } from '../../support/edge.ts';
import { fakeServerScope } from '../../support/fake-scopes.ts';

// Every operation and every channel, with every role and every scope: allowed or refused as the API's description says.

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With 1 for each parameter. */
  readonly path: string;
  readonly tag: string;
  readonly role: Role;
  /** The scopes that suffice. */
  readonly scopes: readonly string[];
  /** Robots are refused. */
  readonly isForPeople: boolean;
  readonly isAddition: boolean;
  readonly isAlias: boolean;
}

interface Described {
  readonly tags: readonly string[];
  readonly 'x-scope': string;
  readonly 'x-scopes'?: readonly string[];
  readonly 'x-role'?: Role;
  readonly 'x-person'?: boolean;
  readonly 'x-addition'?: boolean;
  readonly 'x-alias'?: string;
}

function operationsOf({ app }: TestApp): Operation[] {
  const { paths } = app.openapi() as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const role = operation['x-role'];
      // Each part of a batch needs the same as its operation.
      if (role === undefined || path === '/api/batch') return [];
      return {
        method: method.toUpperCase() as Operation['method'],
        path: path.replace(/\{\w+\}/g, '1'),
        tag: operation.tags[0] ?? '',
        role,
        scopes: operation['x-scopes'] ?? [operation['x-scope']],
        isForPeople: operation['x-person'] === true,
        isAddition: operation['x-addition'] === true,
        isAlias: operation['x-alias'] !== undefined,
      };
    }),
  );
}

const allRights: readonly Rights[] = roles.flatMap((role) => [
  { role, scopes: null },
  ...scopeNames.map((scope) => ({ role, scopes: new Set([scope]) })),
]);

const has = (role: Role, least: Role): boolean =>
  ({ viewer: 1, gardener: 2, owner: 3 })[role] >= { viewer: 1, gardener: 2, owner: 3 }[least];

const isAllowed = ({ role, scopes }: Operation, rights: Rights): boolean =>
  has(rights.role, role) &&
  (rights.scopes === null || scopes.includes('any') || scopes.some((scope) => rights.scopes?.has(scope as Scope)));

const nameOf = ({ method, path }: Operation, { role, scopes }: Rights): string =>
  `${method} ${path} as ${role} with ${scopes === null ? 'all' : [...scopes].join()}`;

/** The groups whose operations are on the data of the garden. */
const gardenTags = [
  ...['Device', 'Control', 'Garden', 'Tools and pins', 'Programs', 'Shared programs', 'Schedule', 'Photos', 'Logs'],
  ...['Farmware', 'History'],
];

/** The operations that robots are refused in these groups, and may use in others. */
const exceptionsOfRobots = [
  ...['POST /api/device', 'DELETE /api/device', 'POST /api/device/seed'],
  ...['PATCH /api/home_assistant', 'POST /api/home_assistant/password', 'PUT /api/virtual_robot', 'POST /api/ai'],
  ...['GET /api/calendar_feed', 'POST /api/calendar_feed', 'DELETE /api/calendar_feed', 'DELETE /api/tokens'],
];

/**
 * Operations that robots may use although the original API, and so no robot, has it: it is on the data of the garden and ends with the session.
 * A new operation that belongs to a person has `needsSession`, `confirms` or `personal`; others are added here.
 */
const additionsForRobots = [
  ...[
    'GET /api/home_assistant',
    'GET /api/points/table',
    'GET /api/robot',
    'GET /api/virtual_robot',
    'POST /api/commands',
  ],
  ...['POST /api/robot/emergency_stop', 'POST /api/robot/unlock', 'GET /api/events', 'POST /api/events/ticket'],
  'GET /api/garden',
  ...['GET /api/series', 'DELETE /api/series', 'PATCH /api/points/bulk', 'POST /api/points/bulk'],
  ...['GET /api/scene_objects', 'GET /api/scene_objects/1', 'POST /api/scene_objects', 'PATCH /api/scene_objects/1'],
  ...['DELETE /api/scene_objects/1', 'GET /api/history', 'GET /api/history/1', 'POST /api/history/1/revert'],
  ...['POST /api/history/revert', 'GET /api/sequences/1/text', 'POST /api/sequences/check'],
  ...['POST /api/sequences/1/check', 'GET /api/farm_events/occurrences', 'GET /api/farm_events/occurrences/past'],
  ...['GET /api/today'],
  ...['GET /api/runs', 'GET /api/runs/1', 'POST /api/runs', 'POST /api/runs/1/stop', 'POST /api/runs/1/resume'],
  ...['GET /api/notifications', 'GET /api/notifications/1', 'DELETE /api/notifications/1', 'GET /api/shared_sequences'],
];

/** The rights of a scope on the channels besides `sync`; the others permit nothing. */
const channelScopes: Readonly<Record<'read' | 'write', Readonly<Partial<Record<Scope, readonly ChannelName[]>>>>> = {
  read: {
    read: ['from_api', 'from_clients', 'from_device', 'logs', 'ping', 'pong', 'status', 'telemetry'],
    garden: ['telemetry'],
    logs: ['logs'],
    control: [
      ...(['from_api', 'from_clients', 'from_device', 'ping', 'pong', 'status'] as const),
      ...(['terminal_output', 'terminal_input'] as const),
    ],
  },
  write: {
    garden: ['telemetry'],
    logs: ['logs'],
    control: ['from_api', 'from_clients', 'from_device', 'ping', 'pong', 'status', 'terminal_output', 'sync'],
  },
};

/** The scopes that may read `sync/Point/7`. */
const pointReaders: readonly Scope[] = ['read', 'garden'];

function mayUse(channel: ChannelName, operation: 'read' | 'write', { role, scopes }: Rights): boolean {
  // Only support staff may write there.
  if (operation === 'write' && (channel === 'terminal_input' || !has(role, 'gardener'))) return false;
  if (scopes === null) return true;
  const isReadable = operation === 'read' && channel === 'sync' && pointReaders.some((scope) => scopes.has(scope));
  return isReadable || [...scopes].some((scope) => channelScopes[operation][scope]?.includes(channel));
}

const topicOf = (channel: ChannelName): string => (channel === 'sync' ? 'sync/Point/7' : channel);

describe('rights', () => {
  const server = suiteBrokerApp('sqlite');
  const account: Account = suiteAccount(server);

  const tokenWith = async (scope: Scope): Promise<string> => {
    const body = { name: scope, scopes: [scope] };
    const { json, text } = await server.call('POST', '/api/personal_tokens', { token: account.token, body });
    expect(json, text).toHaveProperty('token');
    return json.token;
  };

  it('of every operation with every role and scope are as described', async () => {
    const operations = operationsOf(server);
    expect(operations.length).toBeGreaterThan(220);
    const routes = server.app.routes.map((route) => ({ ...route, handle: () => ({}) }) as Route);
    let session = edgeSession;
    const activity = { commits: 0, rollbacks: 0, identities: [] };
    const http = createEdge({
      routes,
      rateLimits: false,
      onReply: () => undefined,
      authenticate: async () => session,
      server: (log) => fakeServerScope({ now: Date.now }, log, activity),
    });
    const wrong: string[] = [];
    const compare = async (operation: Operation, isExpected: boolean): Promise<void> => {
      const { statusCode } = await inject(http.handler, {
        method: operation.method,
        url: operation.path,
        headers: { authorization: 'any', 'user-agent': 'test' },
        ...(operation.method === 'GET' ? {} : { payload: '{}' }),
      });
      if (![200, 403].includes(statusCode) || (statusCode === 200) !== isExpected)
        wrong.push(`${nameOf(operation, session.rights)} of a ${session.kind}: ${statusCode}`);
    };
    for (const operation of operations) {
      for (const rights of allRights) {
        session = { ...edgeSession, rights, isAdministrator: true };
        await compare(operation, isAllowed(operation, rights));
      }
      for (const role of roles) {
        session = { ...edgeSession, rights: robotRights(role), kind: 'robot' };
        await compare(operation, !operation.isForPeople && has(role, operation.role));
      }
    }
    expect(wrong).toEqual([]);
    session = edgeSession;
    for (const { method, path } of operations.filter(({ tag }) => tag === 'Administration')) {
      const payload = method === 'GET' ? {} : { payload: '{}' };
      const response = await inject(http.handler, { method, url: path, headers: { authorization: 'any' }, ...payload });
      expect(response.statusCode, path).toBe(403);
    }
    await http.close();
  });

  it("of robots' sessions are on the data of the garden", () => {
    const operations = operationsOf(server)
      .filter(({ isAlias }) => !isAlias)
      .map(({ method, path, ...rest }) => ({ name: `${method} ${path}`, ...rest }));
    const named = (names: readonly string[]) => operations.filter(({ name }) => names.includes(name));
    expect(named(exceptionsOfRobots)).toHaveLength(exceptionsOfRobots.length);
    const unexpected = operations.filter(({ name, tag, isForPeople }) =>
      exceptionsOfRobots.includes(name)
        ? isForPeople !== gardenTags.includes(tag)
        : isForPeople === gardenTags.includes(tag),
    );
    expect(unexpected.map(({ name }) => name)).toEqual([]);
    const additions = operations.filter(({ isAddition, isForPeople }) => isAddition && !isForPeople);
    expect(additions.map(({ name }) => name).toSorted()).toEqual(additionsForRobots.toSorted());
  });

  it('of personal tokens are their scope’s', async () => {
    const wrong: string[] = [];
    for (const scope of scopeNames) {
      const rights: Rights = { role: 'owner', scopes: new Set([scope]) };
      const token = await tokenWith(scope);
      for (const operation of operationsOf(server)) {
        const isExpected = isAllowed(operation, rights);
        // Allowed changes are made by other tests, and a stream would not end.
        if (isExpected && (operation.method !== 'GET' || operation.path === '/api/events')) continue;
        const { status } = await server.call(operation.method, operation.path, {
          token,
          ...(operation.method === 'GET' ? {} : { body: {} }),
        });
        if ((status !== 403) !== isExpected) wrong.push(`${nameOf(operation, rights)}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('on every channel follow from the role and the scope, with RabbitMQ', async () => {
    const wrong: string[] = [];
    for (const rights of allRights)
      for (const channel of channelNames)
        for (const permission of ['read', 'write'] as const) {
          const { role, scopes } = rights;
          const scoped = scopes === null ? '' : ` scoped ${[...scopes].map((scope) => `scope_${scope}`).join(' ')}`;
          const { status } = await server.call('POST', '/api/rmq/topic', {
            body: {
              username: `device_${account.deviceId}`,
              permission,
              tags: `${role}${scoped}`,
              routing_key: `bot.device_${account.deviceId}.${topicOf(channel).replaceAll('/', '.')}`,
            },
          });
          if ((status === 200) !== mayUse(channel, permission, rights))
            wrong.push(`${permission} ${channel} as ${role} with ${scoped || 'all'}: ${status}`);
        }
    expect(wrong).toEqual([]);
    const signIn = async (password: string) =>
      (await server.call('POST', '/api/rmq/user', { body: { username: `device_${account.deviceId}`, password } })).text;
    expect(await signIn(account.token)).toBe('allow');
    expect(await signIn(await tokenWith('logs'))).toBe('allow owner scoped scope_logs');
    // RabbitMQ cannot filter deliveries: a pattern must match only readable messages.
    const subscribe = async (key: string, tags: string) => {
      const body = { username: `device_${account.deviceId}`, permission: 'read', tags, routing_key: key };
      return (await server.call('POST', '/api/rmq/topic', { body })).status;
    };
    const key = `bot.device_${account.deviceId}`;
    expect(await subscribe(`${key}.#`, 'owner scoped scope_read')).toBe(403);
    expect(await subscribe(`${key}.sync.#`, 'owner scoped scope_read')).toBe(403);
    expect(await subscribe(`${key}.sync.Point.*`, 'owner scoped scope_read')).toBe(200);
    expect(await subscribe(`${key}.#`, 'viewer')).toBe(200);
    for (const [who, expected] of [
      ['gardener scoped scope_read scope_garden scope_programs scope_control scope_logs', 200],
      ['owner scoped scope_read scope_garden scope_programs scope_control scope_logs', 403],
      ['gardener scoped scope_garden', 403],
    ] as const)
      expect([who, await subscribe(`${key}.sync.#`, who)]).toEqual([who, expected]);
    for (const role of ['viewer', 'gardener'])
      expect([role, await subscribe(`${key}.sync.User.*`, role)]).toEqual([role, 403]);
  });

  it('on every channel follow from the scope, with the built-in broker', async () => {
    const username = `device_${account.deviceId}`;
    const wrong: string[] = [];
    for (const scope of scopeNames) {
      const rights: Rights = { role: 'owner', scopes: new Set([scope]) };
      const token = await tokenWith(scope);
      let client = await server.connect(username, token);
      const codes = await client.subscribe(channelNames.map((channel) => `bot/${username}/${topicOf(channel)}`));
      for (const [index, channel] of channelNames.entries()) {
        if ((codes[index] === 0) !== mayUse(channel, 'read', rights)) wrong.push(`read ${channel} with ${scope}`);
        const isSent = await client.publish(`bot/${username}/${topicOf(channel)}`, '{}', { qos: 1 }).then(
          () => true,
          () => false,
        );
        if (isSent !== mayUse(channel, 'write', rights)) wrong.push(`write ${channel} with ${scope}`);
        if (!isSent) client = await server.connect(username, token);
      }
    }
    expect(wrong).toEqual([]);
  });
});
