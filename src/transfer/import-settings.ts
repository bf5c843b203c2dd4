import type { Timestamp } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { parseBody } from '../engine/body.ts';
import type { Fields } from '../engine/fields.ts';
import { titleize } from '../engine/kinds.ts';
import type { AnySingleton } from './account-document.ts';
import { accountDocument } from './account-document.ts';
import { referenceFields } from './import-constraints.ts';
import type { SentDocument } from './import-document.ts';
import { importedFields, knownKeys } from './import-records.ts';
import type { ImportRemarks } from './import-report.ts';
import { creationTime, failureMessage, reportUnknownKeys } from './import-report.ts';
import type { PlanContext } from './transfer-rules.ts';

/** The parsed values of a config, or of the device. References are ids of the document. */
export interface Settings {
  readonly key: string;
  readonly values: Record<string, unknown>;
  readonly createdAt: Timestamp | null;
}

export interface ConfigSettings extends Settings {
  readonly resource: AnySingleton;
}

/** Parses each field by itself: an invalid setting keeps its default, and does not make the import fail. */
export function parseSettings(
  fields: Fields,
  sent: Readonly<Record<string, unknown>>,
  path: string,
  coercion: 'parse' | 'cast',
  remarks: ImportRemarks,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { values: parsed, failures, modelProblems } = parseBody({ [name]: field }, sent, 'update', coercion);
    const [message] = [...Object.values(failures).map(failureMessage), ...modelProblems];
    if (message === undefined) Object.assign(values, parsed);
    else remarks.changed(`${path}/${name}`, `This setting was not changed: ${message}`);
  }
  return values;
}

/** Parses the configs of a document. */
export function parseConfigs(document: SentDocument, { known, remarks }: PlanContext): ConfigSettings[] {
  const configs: ConfigSettings[] = [];
  for (const part of accountDocument) {
    const sent = document.values.get(part.key);
    if (part.kind !== 'singleton' || !isObject(sent)) continue;
    const { key, resource } = part;
    const path = `/${key}`;
    reportUnknownKeys(path, sent, knownKeys(resource), remarks);
    const values = parseSettings(importedFields(resource), sent, path, resource.options.coercion ?? 'parse', remarks);
    for (const { name, table } of referenceFields(resource)) {
      const id = values[name];
      if (typeof id !== 'number' || known.state(table, id) === 'stored') continue;
      values[name] = null;
      if (id !== 0)
        remarks.changed(
          `${path}/${name}`,
          `${titleize(name)} refers to a record that was not imported: it was cleared.`,
        );
    }
    configs.push({ key, resource, values, createdAt: creationTime(sent, path, remarks) });
  }
  return configs;
}
