import { integer, oneOf, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { empty } from '../engine/route.ts';
import { firmwareHardware } from './fbos-config.ts';

const percent = () => integer().range(0, 100).unset();
const number = () => integer().unset();

/** The newest 300 are kept. [Spec telemetries] */
export const telemetries = resource('telemetries', {
  about: 'How the robot’s computer fares.',
  announced: 'Telemetry',
  routes: 'list create destroy',
  createdAt: 'seconds',
  newestFirst: true,
  keep: 300,
  indexes: [['device_id', 'created_at']],
  fields: {
    soc_temp: number(),
    throttled: text().max(10).unset(),
    wifi_level_percent: percent(),
    uptime: number(),
    memory_usage: number(),
    disk_usage: percent(),
    cpu_usage: percent(),
    target: oneOf('rpi', 'rpi3', 'rpi4').required(),
    fbos_version: text().max(20).unset(),
    firmware_hardware: oneOf(...firmwareHardware).unset(),
  },
});

export const deleteTelemetries: DeviceRoute = {
  access: 'token',
  tag: 'telemetries',
  method: 'DELETE',
  path: '/api/telemetries/all',
  summary: 'Delete all telemetries',
  replies: { 200: 'empty' },
  async handle(scope) {
    for (const { id } of await scope.remove(telemetries, {})) scope.events.gone('Telemetry', id);
    return empty;
  },
};
