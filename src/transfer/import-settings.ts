import type { Timestamp } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope } from '../db/scope.ts';
import { deviceFields } from '../device/device-fields.ts';
import { devices } from '../device/devices.ts';
import { parseBody } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { titleize } from '../engine/kinds.ts';
import { tools } from '../garden/tools.ts';
import type { DocumentPart } from './account-document.ts';
import { accountDocument } from './account-document.ts';
import type { SentDocument } from './import-document.ts';
import { importedFields, knownKeys } from './import-fields.ts';
import type { KnownRecords } from './import-known.ts';
import { madeAt, sentenceOf, tellUnknown } from './import-records.ts';
import { referringFields } from './import-references.ts';
import type { ImportRemarks } from './import-report.ts';

type RecordPart = Extract<DocumentPart, { holds: 'record' }>;

/** What a document says of something that each device has once. */
export interface Settings {
  readonly key: string;
  /** Under the ids of the document. */
  readonly values: Record<string, unknown>;
  readonly createdAt: Timestamp | null;
}

export interface SingleRecord extends Settings {
  readonly resource: RecordPart['resource'];
}

/** Reads each field by itself: a setting that is not right here keeps its default, and hinders nobody. */
function readEach(
  fields: Fields,
  sent: Readonly<Record<string, unknown>>,
  path: string,
  how: 'parse' | 'cast',
  remarks: ImportRemarks,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { values: one, failures, modelProblems } = parseBody({ [name]: field }, sent, 'update', how);
    const [sentence] = [...Object.values(failures).map(sentenceOf), ...modelProblems];
    if (sentence === undefined) Object.assign(values, one);
    else remarks.changed(`${path}/${name}`, `This was left as it is: ${sentence}`);
  }
  return values;
}

/** The configs of a document. */
export function readConfigs(document: SentDocument, known: KnownRecords, remarks: ImportRemarks): SingleRecord[] {
  const records: SingleRecord[] = [];
  for (const part of accountDocument) {
    const sent = document.values.get(part.key);
    if (part.holds !== 'record' || !isObject(sent)) continue;
    const { key, resource } = part;
    const path = `/${key}`;
    tellUnknown(path, sent, knownKeys(resource), remarks);
    const values = readEach(importedFields(resource), sent, path, resource.options.coercion ?? 'parse', remarks);
    for (const { name, table } of referringFields(resource)) {
      const id = values[name];
      if (typeof id !== 'number' || known.state(table, id) === 'there') continue;
      values[name] = null;
      if (id !== 0) remarks.changed(`${path}/${name}`, `What ${titleize(name)} names was not taken: it was cleared.`);
    }
    records.push({ key, resource, values, createdAt: madeAt(sent, path, remarks) });
  }
  return records;
}

/** What a device shows besides its fields. */
const standard = ['id', 'created_at', 'updated_at', 'tz_offset_hrs'];

/** Follows from other fields. */
const derived: ReadonlySet<string> = new Set(['ota_hour_utc']);

/** The device's own settings. */
export async function readDevice(
  scope: DeviceScope,
  document: SentDocument,
  known: KnownRecords,
  remarks: ImportRemarks,
): Promise<Settings> {
  const [key, path] = ['device', '/device'];
  const sent = document.values.get(key);
  if (!isObject(sent)) return { key, values: {}, createdAt: null };
  tellUnknown(path, sent, new Set([...standard, ...Object.keys(deviceFields)]), remarks);
  const values = readEach(deviceFields, sent, path, 'parse', remarks);
  for (const [name, { traits }] of Object.entries(deviceFields)) {
    const isSaid = (sent[name] ?? null) !== null && sent[name] !== traits.default;
    if (traits.writability === 'never' && isSaid && !derived.has(name))
      remarks.leftOut(`${path}/${name}`, 'Only the server says this.');
  }
  const { ota_hour: hour, mounted_tool_id: tool, fb_order_number: order } = values;
  if (typeof hour === 'number' && (hour < 0 || hour > 23)) {
    values.ota_hour = null;
    remarks.changed(`${path}/ota_hour`, 'There is no such hour: it was cleared.');
  }
  if (typeof tool === 'number' && known.state(tools.name, tool) !== 'there') {
    values.mounted_tool_id = null;
    if (tool > 0) remarks.changed(`${path}/mounted_tool_id`, `The tool ${tool} was not taken: no tool is mounted.`);
  }
  if (typeof order === 'string') {
    const holder = await scope.server.first(devices, { where: { fb_order_number: order } });
    if (holder && holder.id !== scope.deviceId) {
      delete values.fb_order_number;
      remarks.changed(`${path}/fb_order_number`, 'This order number is in use for another robot of this server.');
    }
  }
  return { key, values, createdAt: madeAt(sent, path, remarks) };
}
