import type { Account, TestApp } from './app.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests access records of any shape
type Row = any;

/** Summarizes everything that seeding creates, in the order of ids. */
export async function gardenSummary(server: TestApp, { token }: Pick<Account, 'token'>) {
  const get = async (path: string): Promise<Row> => (await server.call('GET', `/api/${path}`, { token })).json;
  const tools: Row[] = await get('tools');
  const nameOf = (id: number): string => tools.find((tool) => tool.id === id)?.name ?? `tool ${id}`;
  const points: Row[] = await get('points');
  const device = await get('device');
  const { firmware_hardware, gantry_height, safe_height, soil_height } = await get('fbos_config');
  const webApp = await get('web_app_config');
  return {
    device,
    name: device.name,
    board: [firmware_hardware, gantry_height, safe_height, soil_height],
    map: [webApp.map_size_x, webApp.map_size_y, webApp.hide_sensors],
    webApp,
    firmware: await get('firmware_config'),
    groups: (await get('point_groups')) as Row[],
    peripherals: (await get('peripherals')).map((row: Row) => `${row.label} ${row.pin} ${row.mode}`),
    bindings: (await get('pin_bindings')).map((row: Row) => `${row.pin_num} ${row.special_action}`),
    sensors: (await get('sensors')).map((row: Row) => `${row.label} ${row.pin} ${row.mode}`),
    envs: (await get('farmware_envs')).map((row: Row) => `${row.key}=${row.value}`),
    tools: tools.map((row) => `${row.name} ${row.flow_rate_ml_per_s} ${row.seeder_tip_z_offset} ${row.status}`),
    points,
    slots: points
      .filter(({ pointer_type }) => pointer_type === 'ToolSlot')
      .map((row) => {
        const kind = row.gantry_mounted ? 'trough' : 'bay';
        return `${row.name}: ${nameOf(row.tool_id)} @ ${row.x} ${row.y} ${row.z} ${kind} ${row.pullout_direction}`;
      }),
    sequences: (await get('sequences')) as Row[],
    feeds: (await get('webcam_feeds')) as Row[],
    curves: (await get('curves')) as Row[],
    alerts: (await get('alerts')) as Row[],
    logs: (await get('logs')) as Row[],
  };
}

/** Seeds an account and waits until its garden is complete. */
export async function seedAccount(server: TestApp, account: Pick<Account, 'token'>, body: object): Promise<void> {
  const response = await server.call('POST', '/api/device/seed', { token: account.token, body });
  if (response.status !== 200) throw new Error(`seeding: ${response.status} ${response.text}`);
  await server.app.runJobs();
}
