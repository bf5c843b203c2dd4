import { deviceFields } from '../../device/device-fields.ts';
import type { DeviceRow } from '../../device/devices.ts';
import { changeDevice, devices, ownDevice } from '../../device/devices.ts';
import { tools } from '../../garden/tools.ts';
import type { ParsedSettings } from '../import-records.ts';
import { parseSettings } from '../import-records.ts';
import { creationTime } from '../import-report.ts';
import { say } from '../messages.ts';
import type { PlanContext, RecordWriter, Row } from '../transfer-rules.ts';

/** Keys of an exported device besides its fields. */
const standardKeys = ['id', 'created_at', 'updated_at', 'tz_offset_hrs'];

/** Derived from other fields. */
const derivedFields: ReadonlySet<string> = new Set(['ota_hour_utc']);

/** Parses the exported device. */
export async function parseDevice(sent: Readonly<Row>, context: PlanContext): Promise<ParsedSettings> {
  const [key, path] = ['device', '/device'];
  const { scope, known, remarks } = context;
  const knownKeys = new Set([...standardKeys, ...Object.keys(deviceFields)]);
  const values = parseSettings(deviceFields, knownKeys, sent, path, remarks);
  for (const [name, { traits, initial }] of Object.entries(deviceFields)) {
    const isSet = (sent[name] ?? null) !== null && sent[name] !== initial;
    if (traits.writability === 'never' && isSet && !derivedFields.has(name))
      remarks.omitted(`${path}/${name}`, say.ownServer);
  }
  const { ota_hour: hour, mounted_tool_id: tool, fb_order_number: order } = values;
  if (typeof hour === 'number' && (hour < 0 || hour > 23)) {
    values.ota_hour = null;
    remarks.changed(`${path}/ota_hour`, say.wrongHour);
  }
  if (typeof tool === 'number' && known.state(tools.name, tool) !== 'stored') {
    values.mounted_tool_id = null;
    if (tool > 0) remarks.changed(`${path}/mounted_tool_id`, say.unmounted(tool));
  }
  if (typeof order === 'string') {
    const holder = await scope.server.first(devices, { where: { fb_order_number: order } });
    if (holder && holder.id !== scope.deviceId) {
      delete values.fb_order_number;
      remarks.changed(`${path}/fb_order_number`, say.otherOrder);
    }
  }
  return { key, values, createdAt: creationTime(sent, path, remarks) };
}

/** Stores the device's settings. */
export async function writeDevice(settings: ParsedSettings, { scope, newId }: RecordWriter): Promise<void> {
  const values: Partial<DeviceRow> = { ...settings.values };
  const tool = values.mounted_tool_id;
  if (typeof tool === 'number') values.mounted_tool_id = newId(tools.name, tool) ?? null;
  if (settings.createdAt !== null) values.created_at = settings.createdAt;
  await changeDevice(scope, await ownDevice(scope), values);
}
