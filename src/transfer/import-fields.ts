import { measurementFields, telemetries } from '../device/telemetries.ts';
import type { Fields } from '../engine/fields.ts';
import { Field, text } from '../engine/fields.ts';
import type { AnyResource } from '../engine/resource.ts';
import { groupInput, pointGroups } from '../garden/point-groups.ts';
import { regimenInputFields, regimens } from '../programs/regimens.ts';
import { sequenceChanges, sequences } from '../programs/sequences.ts';

/** Where a document's record has other fields than a request's body. */
const otherFields: Readonly<Record<string, Fields>> = {
  [pointGroups.name]: groupInput,
  [regimens.name]: regimenInputFields,
  [sequences.name]: sequenceChanges,
  // As robots send it over the broker: newer boards have other names.
  [telemetries.name]: {
    ...telemetries.fields,
    ...measurementFields,
    firmware_hardware: text().max(20).nullByDefault(),
  },
};

/** Shown, but not the document's to say: another server's versions mean nothing here. */
const serverOnly: ReadonlySet<string> = new Set([`${sequences.name}.sequence_version_id`]);

const known = new Map<string, Fields>();

/** What is taken of a record: all that is shown and stored, also what requests cannot set. */
export function importedFields(resource: AnyResource): Fields {
  let fields = known.get(resource.name);
  if (!fields) {
    const taken = Object.entries(otherFields[resource.name] ?? resource.fields).filter(
      ([name, { traits }]) => traits.isShown && !traits.isDerived && !serverOnly.has(`${resource.name}.${name}`),
    );
    fields = Object.fromEntries(
      taken.map(([name, field]) => [name, new Field(field.kind, { ...field.traits, writability: 'always' })]),
    );
    known.set(resource.name, fields);
  }
  return fields;
}

/** What a record may hold without being told of: its fields, and what the server adds to each. */
export function knownKeys(resource: AnyResource): ReadonlySet<string> {
  const fields = otherFields[resource.name] ?? resource.fields;
  return new Set([
    'id',
    'created_at',
    'updated_at',
    'device_id',
    ...Object.keys(resource.fields),
    ...Object.keys(fields),
  ]);
}

type Sent = Readonly<Record<string, unknown>>;

/** What the vendor's service shows or does where its rows hold nothing. [reference: data model] */
const meanings: Readonly<Record<string, Readonly<Record<string, (record: Sent) => unknown>>>> = {
  farm_events: { repeat: () => 1, time_unit: () => 'never', start_time: (record) => record.created_at },
  sensor_readings: { read_at: (record) => record.created_at },
  webcam_feeds: { name: () => 'Webcam Feed' },
};

/** The record without nulls that mean "nothing was said", which old rows of the vendor's hold where requests may not send them. */
export function withoutOldNulls(resource: AnyResource, record: Sent): Sent {
  const fields = importedFields(resource);
  let copy: Record<string, unknown> | null = null;
  for (const name in fields) {
    const traits = fields[name]?.traits;
    if (record[name] !== null || !traits || traits.isNullable) continue;
    const meaning = meanings[resource.name]?.[name];
    if (traits.isRequired && !meaning) continue;
    copy ??= { ...record };
    if (meaning) copy[name] = meaning(record);
    else delete copy[name];
  }
  return copy ?? record;
}

/** Tables of what happened: a record of it that is not right is left out, while in the garden it keeps everything out. */
export const histories: ReadonlySet<string> = new Set([
  'ai_feedbacks',
  'images',
  'logs',
  'sensor_readings',
  'telemetries',
  'wizard_step_results',
]);
