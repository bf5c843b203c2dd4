import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBody } from '../src/engine/body.ts';
import type { Field } from '../src/engine/fields.ts';
import { textKind, timeKind } from '../src/engine/kinds.ts';
import { bodySchema } from '../src/engine/schemas.ts';
import { pinBindings } from '../src/garden/pin-bindings.ts';
import { resources } from '../src/resources.ts';

// Compares the published schema with the fields. Fields may accept more than the schema ("1" for 1), but less only by these rules.

const ajv = new Ajv.default({ strict: false, allErrors: true, addUsedSchema: false });
addFormats.default(ajv);

const digitsFirst = /^\s*[+-]?\.?\d/;

/** Why a value that the schema accepts may be rejected. */
const rules: Record<string, (value: unknown, field: Field) => boolean> = {
  'a number sent as text has the limits of the number': (value, { kind }) =>
    typeof value === 'string' && digitsFirst.test(value) && kind.column !== 'text',
  'a number or boolean that becomes text has the limits of the text': (value, { kind }) =>
    kind.column === 'text' && (typeof value === 'number' || typeof value === 'boolean'),
  'text need not be a time': (value, { kind }) => kind === timeKind && typeof value === 'string',
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

it('contains `binding_type` of pin bindings in updates only', () => {
  const propertiesOf = (mode: 'create' | 'update') =>
    Object.keys((bodySchema(pinBindings, mode) as { properties?: object }).properties ?? {});
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
        const { properties = {} } = bodySchema(resource, mode) as { properties?: Record<string, object> };
        for (const [name, schema] of Object.entries(properties)) {
          const field = fields[name];
          if (!field) throw new Error(`${name} is no field`);
          const validate = ajv.compile(schema);
          fc.assert(
            fc.property(values, (value) => {
              const { failures, modelProblems } = parseBody(
                { [name]: field },
                { [name]: value },
                mode,
                options.coercion,
              );
              const isAccepted = Object.keys(failures).length === 0 && modelProblems.length === 0;
              if (isAccepted || !validate(value)) return;
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
      const { required = [] } = bodySchema(resource, 'create') as { required?: string[] };
      const { failures } = parseBody(fields, {}, 'create', options.coercion);
      expect(required.toSorted()).toEqual(Object.keys(failures).toSorted());
    });
  },
);
