import { expect, it } from 'vitest';
import { ChangeLog } from '../../src/db/change-log.ts';
import type { Singleton } from '../../src/engine/singleton.ts';
import { resources } from '../../src/resources.ts';
import { changeEvent, messageEvent, resetEvent, startEvent } from '../../src/streams/event-format.ts';
import { liveChannels } from '../../src/streams/event-stream.ts';
import { deliveryBody } from '../../src/webhooks/delivery-report.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { documentProblem } from '../support/schema-validator.ts';

const server = suiteApp('sqlite');
const account = suiteAccount(server);

/** The schemas of the description. */
const documented = () => server.app.openapi() as { readonly components: { readonly schemas: Record<string, object> } };

/** Returns an event as clients parse it. */
function parsed(text: string): object {
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/s).slice(0, 2)),
  );
  return { event: fields.event, id: fields.id ?? '', data: JSON.parse(fields.data) };
}

it('describes the events and deliveries of changes of all resources', async () => {
  const call = (method: string, path: string, body?: object) =>
    server.call(method, path, { token: account.token, ...(body && { body }) });
  for (const resource of resources) {
    if ('path' in resource) {
      const { path, options } = resource as unknown as Singleton;
      await call('PATCH', path, options.example ?? {});
    } else if (hasExample(resource) && actionsOf(resource).has('create')) {
      const path = `/api/${resource.name}`;
      const { json } = await call('POST', path, await example(server, resource.name, account));
      await call('PATCH', `${path}/${json.id}`, await example(server, resource.name, account));
      await call('DELETE', `${path}/${json.id}`);
    }
  }
  await call('PATCH', '/api/device', { name: 'Greenhouse' });
  await call('PATCH', '/api/users', { name: 'Ada' });
  const scope = server.app.server().device(account.deviceId);
  const log = new ChangeLog();
  const changes = await log.read(scope, { after: 0, limit: 1000 });
  if (changes === 'reset') expect.fail();
  const document = documented();
  const { GardenEvent = {}, ChangeDelivery = {} } = document.components.schemas;
  const seen = new Set<string>();
  for (const change of changes) {
    const event = parsed(changeEvent(change));
    expect(documentProblem(document, GardenEvent, event), JSON.stringify(event)).toBeNull();
    const row = { type: `${change.resource}.${change.action}`, change_id: change.id, content: null, created_at: '' };
    const body = await deliveryBody(scope, log, row as unknown as Parameters<typeof deliveryBody>[2], () => true);
    expect(documentProblem(document, ChangeDelivery, JSON.parse(body ?? 'null')), String(body)).toBeNull();
    seen.add(`${change.resource} ${change.action}`);
  }
  expect(seen.size).toBeGreaterThan(40);
  for (const each of ['Device updated', 'User updated', 'Point created', 'WebAppConfig updated', 'Tool deleted'])
    expect(seen).toContain(each);
  const { data, ...named } = parsed(changeEvent(changes[0] ?? expect.fail())) as { data: object };
  for (const wrong of [
    { ...named, data: {} },
    { ...named, data, event: 'Tree' },
    { ...named, data: { ...data, x: 1 } },
  ])
    expect(documentProblem(document, GardenEvent, wrong)).not.toBeNull();
});

it('describes messages of the robot, the start and resets', () => {
  const document = documented();
  const { GardenEvent = {} } = document.components.schemas;
  const messages: Record<keyof typeof liveChannels, object> = {
    status: {
      location_data: { position: { x: 1, y: 0, z: -2 } },
      pins: { 8: { mode: 0, value: 1 } },
      jobs: { 'Photo upload': { status: 'working', unit: 'percent', percent: 40, type: 'image' } },
      running: [{ sequence_id: 7, step: 2, steps: 5 }],
    },
    logs: { message: 'Moved.', type: 'info', channels: ['toast'], meta: {} },
    telemetry: { telemetry_target: 'rpi3', telemetry_soc_temp: 42 },
  };
  for (const channel of Object.keys(liveChannels) as (keyof typeof liveChannels)[]) {
    const text = messageEvent(channel, Buffer.from(JSON.stringify(messages[channel])));
    expect(documentProblem(document, GardenEvent, parsed(text ?? '')), channel).toBeNull();
  }
  for (const text of [startEvent(41), resetEvent(41)])
    expect(documentProblem(document, GardenEvent, parsed(text))).toBeNull();
  const running = messageEvent('status', Buffer.from('{"running":[{"sequence_id":"Water"}]}'));
  expect(documentProblem(document, GardenEvent, parsed(running ?? ''))).not.toBeNull();
});
