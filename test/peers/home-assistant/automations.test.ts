import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../../support/account-calls.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { codeBlocks } from '../../support/pasted-blocks.ts';
import { seedAccount } from '../../support/seeded-garden.ts';
import { parseYaml } from '../../support/yaml.ts';

// biome-ignore lint/suspicious/noExplicitAny: YAML of any shape
type Yaml = any;

const yamlIn = (page: string): Yaml[] => codeBlocks(page, 'yaml').map(parseYaml);

/** Returns the values of a name anywhere in a value. */
const valuesOf = (value: Yaml, name: string): Yaml[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [...(key === name ? [each].flat() : []), ...valuesOf(each, name)])
    : [];

describe('the YAML for Home Assistant in documents', () => {
  let server: TestApp;
  /** The ids that Home Assistant gives to the entities of a garden: the platform, and the names of device and entity. */
  let entities: string[];

  beforeAll(async () => {
    const host = '127.0.0.42';
    const port = String(await freePort());
    server = await startApp('sqlite', { HOST: host, PORT: '0', MQTT_PORT: port, HOME_ASSISTANT: 'on' });
    await server.app.listen();
    const garden = await server.signUp();
    const { ok: call } = callsOf(server, garden);
    // As the page says: a garden of that name with the two pinned sequences.
    await seedAccount(server, garden, { product_line: 'genesis_1.7' });
    await call('PATCH', '/api/device', { name: 'Garden' });
    const [{ id }] = (await call('GET', '/api/sequences')).filter(({ name }: Yaml) => name === 'Water all plants');
    await call('PATCH', `/api/sequences/${id}`, { pinned: true });
    const photo = [{ kind: 'take_photo', args: {} }];
    await call('POST', '/api/sequences', { name: 'Take a picture', pinned: true, body: photo });
    await call('PATCH', '/api/home_assistant', { on: true });
    const { username, password } = await call('POST', '/api/home_assistant/password');
    const home = await MqttTestClient.connect(`mqtt://${host}:${port}`, { username, password });
    await home.subscribe('homeassistant/#');
    const { text } = await home.first(`homeassistant/device/potager_device_${garden.deviceId}/config`);
    await home.end();
    const { device, components } = JSON.parse(text);
    const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
    entities = Object.values<Yaml>(components).map(
      ({ platform, name }) => `${platform}.${slug(`${device.name} ${name}`)}`,
    );
  });
  afterAll(() => server.close());

  it('names entities of the garden in automations', () => {
    const [automations] = yamlIn('docs/recipes.md');
    expect(automations).toHaveLength(3);
    const pictures = JSON.stringify(automations).matchAll(/\/api\/image_proxy\/([\w.]+)/g);
    const named = [...valuesOf(automations, 'entity_id'), ...[...pictures].map(([, id]) => id)];
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((id) => !entities.includes(id))).toEqual([]);
  });

  it('has automations of the parts that Home Assistant documents', () => {
    const [automations] = yamlIn('docs/recipes.md');
    const parts = ['id', 'alias', 'triggers', 'conditions', 'actions'];
    for (const automation of automations) {
      expect(Object.keys(automation).filter((name) => !parts.includes(name))).toEqual([]);
      for (const part of ['triggers', 'actions']) expect(automation[part].length).toBeGreaterThan(0);
      // Texts: a state, a time and a duration without quotes would be something else in YAML.
      for (const name of ['to', 'state', 'at', 'for', 'offset', 'timeout'])
        for (const value of valuesOf(automation, name)) expect(value).toBeTypeOf('string');
    }
    expect(new Set(automations.map(({ id }: Yaml) => id)).size).toBe(automations.length);
    const kinds = [...valuesOf(automations, 'trigger'), ...valuesOf(automations, 'condition')];
    expect(kinds.filter((kind) => !['state', 'numeric_state', 'sun', 'time'].includes(kind))).toEqual([]);
    for (const { action, target } of automations.flatMap(({ actions }: Yaml) => actions))
      if (action === 'button.press') expect(target.entity_id).toMatch(/^button\./);
  });

  it('names entities of the garden in the dashboard', () => {
    const [dashboard] = yamlIn('docs/home-assistant.md');
    expect(dashboard.entities.filter((id: string) => !entities.includes(id))).toEqual([]);
  });
});
