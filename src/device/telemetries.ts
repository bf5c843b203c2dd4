import { labels } from '../core/field-labels.ts';
import { custom, integer, oneOf, text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { FieldSentence, Kind, Problem } from '../engine/kinds.ts';
import { fieldProblem } from '../engine/kinds.ts';
import { resource } from '../engine/resource.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { addTelemetries, removeTelemetries } from '../series/series-store.ts';
import { firmwareHardware } from './fbos-config.ts';
import { say } from './messages.ts';

const number = () => integer().nullByDefault();

/** Measurements of a robot's computer. Over the broker `target` is any name, since newer boards have others. [rule D31] */
export const measurementFields = {
  soc_temp: number().label('Soc temp', 'Température du processeur'),
  throttled: text().max(10).nullByDefault().label('Throttled', 'Freiné'),
  wifi_level_percent: number().label('Wifi level percent', 'Niveau du Wi-Fi en pour cent'),
  uptime: number().label('Uptime', 'Temps depuis le démarrage'),
  memory_usage: number().label('Memory usage', 'Mémoire utilisée'),
  disk_usage: number().label('Disk usage', 'Disque utilisé'),
  cpu_usage: number().label('Cpu usage', 'Processeur utilisé'),
  target: text().max(10).required().label('Target', 'Cible'),
};

const hexadecimal = '^0x[0-9a-fA-F]+$';
const identifiers = '[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*';
/** Semantic Versioning, with an optional `v`. */
const semanticVersion = `^v?(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-${identifiers})?(\\+${identifiers})?$`;

/** Returns a check of the form of a text. */
function form(pattern: string, sentence: FieldSentence<[]>): (value: string, name: string) => Problem | null {
  const expression = new RegExp(pattern);
  return (value, name) => (expression.test(value) ? null : fieldProblem(name, sentence));
}

/** Over HTTP one of these; shown as stored. */
const target = custom<string>({ ...(oneOf('rpi', 'rpi3', 'rpi4').kind as Kind<string>), output: Type.String() }).label(
  'Target',
  'Cible',
);

/** Telemetries of a device that are kept. */
export const keptTelemetries = 300;

/** Telemetry of robots. Forms are checked over HTTP only: a robot's whole message would be dropped. [rule D30, decision 7, 58] */
export const telemetries = resource('telemetries', {
  tag: 'Device',
  example: { target: 'rpi3', soc_temp: 48, wifi_level_percent: 80, uptime: 3600 },
  description: 'Measurements of the robot’s computer.',
  changeLogName: 'Telemetry',
  isHistory: false,
  routes: ['list', 'create', 'destroy'],
  createdAt: 'seconds',
  newestFirst: true,
  max: { kept: keptTelemetries },
  indexes: [['device_id', 'created_at']],
  fields: {
    ...measurementFields,
    throttled: measurementFields.throttled.check(form(hexadecimal, say.hexadecimal), {
      pattern: hexadecimal,
    }),
    wifi_level_percent: measurementFields.wifi_level_percent.range(0, 100),
    disk_usage: measurementFields.disk_usage.range(0, 100),
    cpu_usage: measurementFields.cpu_usage.range(0, 100),
    target: target.required(),
    fbos_version: text()
      .max(20)
      .nullByDefault()
      .check(form(semanticVersion, say.version), { pattern: semanticVersion })
      .label(labels.software),
    firmware_hardware: oneOf(...firmwareHardware)
      .nullByDefault()
      .label(labels.electronics),
  },
  hooks: { afterCreate: addTelemetries, afterDestroy: removeTelemetries },
});

export const deleteTelemetries: DeviceRoute = {
  access: 'token',
  tag: telemetries.options.tag,
  method: 'DELETE',
  path: '/api/telemetries/all',
  summary: 'Delete all telemetries',
  description: "Deletes all measurements of the robot's computer.",
  replies: { 200: 'empty' },
  async handle(scope) {
    const deleted = await scope.delete(telemetries, {});
    await removeTelemetries(scope, deleted);
    for (const { id } of deleted) scope.events.deleted('Telemetry', id);
    return emptyReply;
  },
};
