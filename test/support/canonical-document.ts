import type { Document } from './account-transfer.ts';

// Makes exports of the same account comparable: fields that may differ are removed, and ids are replaced by positions.

/** Lists whose records are referenced by id. */
const tables = [
  'tools',
  'curves',
  'peripherals',
  'sensors',
  'saved_gardens',
  'folders',
  'points',
  'point_groups',
  'sequences',
  'regimens',
];

/** The list that a field refers to. */
const fields: Readonly<Record<string, string>> = {
  folder_id: 'folders',
  parent_id: 'folders',
  tool_id: 'tools',
  mounted_tool_id: 'tools',
  water_curve_id: 'curves',
  spread_curve_id: 'curves',
  height_curve_id: 'curves',
  sequence_id: 'sequences',
  boot_sequence_id: 'sequences',
  regimen_id: 'regimens',
  saved_garden_id: 'saved_gardens',
  pointer_id: 'points',
  point_group_id: 'point_groups',
};

const types: Readonly<Record<string, string>> = {
  Peripheral: 'peripherals',
  Sensor: 'sensors',
  Sequence: 'sequences',
  Regimen: 'regimens',
  Point: 'points',
  Plant: 'points',
  Weed: 'points',
  ToolSlot: 'points',
  GenericPointer: 'points',
  Device: 'device',
};

const typedIds: Readonly<Record<string, string>> = {
  pin_id: 'pin_type',
  resource_id: 'resource_type',
  executable_id: 'executable_type',
};

/** Fields that depend on the server or on the time. */
const dropped = ['updated_at', 'device_id'];
const facts = ['users', 'token_issuances', 'server_url', 'export_created_at', 'database_schema'];

/** Returns the document without the differences that two accounts with the same content have. */
export function canonicalDocument(document: Document): Document {
  const places = new Map<string, string>();
  for (const table of tables)
    for (const [index, { id }] of (document[table] as Document[]).entries())
      places.set(`${table} ${id}`, `${table}[${index}]`);
  // Programs refer to one device only, whatever its id.
  const place = (table: string, id: unknown): unknown =>
    table === 'device' ? 'the device' : (places.get(`${table} ${id}`) ?? id);

  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    const record = value as Document;
    const copy: Document = {};
    for (const [key, inner] of Object.entries(record)) {
      if (dropped.includes(key)) continue;
      const table = fields[key];
      const typeKey = typedIds[key];
      if (key === 'id' && typeof inner === 'number') continue;
      if (table && typeof inner === 'number') copy[key] = place(table, inner);
      else if (typeKey) copy[key] = place(types[record[typeKey]] ?? '', inner);
      else if (key === 'point_ids') copy[key] = (inner as number[]).map((id) => place('points', id));
      else if (key === 'value' && record.label === 'mounted_tool_id') copy[key] = place('tools', inner);
      else if (key === 'attachment_url') copy[key] = String(inner).replace(/^https?:\/\/.*$/, 'a photo');
      else Object.defineProperty(copy, key, { value: inside(inner), enumerable: true });
    }
    return copy;
  };
  return Object.fromEntries(
    Object.entries(document)
      .filter(([key]) => !facts.includes(key))
      .map(([key, value]) => [key, inside(value)]),
  );
}
