import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBody } from '../../src/engine/body.ts';
import type { Field } from '../../src/engine/fields.ts';
import { textKind } from '../../src/engine/kinds.ts';
import type { AnyResource } from '../../src/engine/resource.ts';
import { bodySchema } from '../../src/engine/schemas.ts';
import { pinBindings } from '../../src/garden/pin-bindings.ts';
import { resources } from '../../src/resources.ts';
import { schemaProblem } from '../support/schema-validator.ts';

// Compares the published schema with the fields. Fields accept more than the schema ("1" for 1), but less only by these rules.

/** The reason why a value that the schema accepts may be rejected. */
const rules: Record<string, (value: unknown, field: Field) => boolean> = {
  'text is blank without its white space and control characters': (value, { kind }) =>
    kind === textKind && typeof value === 'string' && !/[^\s\p{Cc}]/u.test(value),
  'a URL must be one that the server can fetch': (value, { traits }) =>
    'format' in traits.limits && typeof value === 'string',
  'objects and lists are checked by their kind': (value, { kind }) =>
    kind.column === 'json' && (typeof value === 'object' || typeof value === 'string'),
};

const values = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    '',
    ' ',
    'x',
    '1',
    '-7',
    '1.5',
    'true',
    '0',
    'Plant',
    'water',
    'sync',
    '2026-11-22T10:00:00Z',
    '2026-11-22T10:00:00.123456+02:00',
  ),
  fc.constantFrom({}, [], ['a'], [1], { a: 1 }, 'x'.repeat(81), 'x'.repeat(2000), 2 ** 31, 1e300, '99999999999'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 400, unit: 'binary' }),
  fc.jsonValue({ maxDepth: 2 }),
);

// All resources with a field that requests may set.
const writable = resources.filter(({ fields }) =>
  Object.values(fields).some(({ traits }) => traits.writability !== 'never'),
);

/** A schema of an object. */
interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: boolean;
}

/** Returns the schemas of a body: one for each variant of the resource. */
function bodySchemas(resource: AnyResource, mode: 'create' | 'update'): ObjectSchema[] {
  const { $defs, ...schema } = bodySchema(resource, mode) as { $defs?: Record<string, ObjectSchema> };
  return $defs ? Object.values($defs) : [schema as ObjectSchema];
}

it('contains `binding_type` of pin bindings in updates only', () => {
  const propertiesOf = (mode: 'create' | 'update') =>
    bodySchemas(pinBindings, mode).flatMap(({ properties }) => Object.keys(properties));
  expect(propertiesOf('update')).toEqual(['sequence_id', 'special_action', 'pin_num', 'binding_type']);
  expect(propertiesOf('create')).toEqual(['sequence_id', 'special_action', 'pin_num']);
});

describe.each(writable.map((resource) => [resource.name, resource] as const))(
  '%s',
  (_name, { fields, options, ...rest }) => {
    const resource = { fields, options, ...rest };
    it.each(['create', 'update'] as const)(
      '%s: the fields accept what the schema accepts, except by a rule',
      (mode) => {
        const schemas = bodySchemas(resource, mode);
        expect(schemas.every(({ additionalProperties }) => additionalProperties === false)).toBe(true);
        for (const [name, schema] of schemas.flatMap(({ properties }) => Object.entries(properties))) {
          const field = fields[name];
          if (!field) throw new Error(`${name} is not a field`);
          fc.assert(
            fc.property(values, (value) => {
              const { failures, modelProblems } = parseBody(
                { [name]: field },
                { [name]: value },
                mode,
                options.coercion,
              );
              const isAccepted = Object.keys(failures).length === 0 && Object.keys(modelProblems).length === 0;
              if (isAccepted || schemaProblem(schema, value) !== null) return;
              const rule = Object.entries(rules).find(([, applies]) => applies(value, field))?.[0];
              expect(
                rule,
                `${name}: the schema accepts ${JSON.stringify(value)}, the field says ${JSON.stringify({ failures, modelProblems })}`,
              ).toBeDefined();
            }),
            { numRuns: 200 },
          );
        }
      },
    );

    it('contains every required field, and no other', () => {
      const { failures } = parseBody(fields, {}, 'create', options.coercion);
      const byRule = Object.keys(fields).filter((name) => fields[name]?.traits.absence === 'refused by a rule');
      for (const { required = [] } of bodySchemas(resource, 'create'))
        expect(required.toSorted()).toEqual([...Object.keys(failures), ...byRule].toSorted());
    });
  },
);
