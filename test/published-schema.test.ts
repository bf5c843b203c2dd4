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

// The published schema and the field code are two readings of one declaration: here they are held together.
// The fields may read more than the schema promises ("1" for 1), never less, except by these rules.

const ajv = new Ajv.default({ strict: false, allErrors: true, addUsedSchema: false });
addFormats.default(ajv);

const digitsFirst = /^\s*[+-]?\.?\d/;

/** Why a value that the schema accepts may be refused all the same. */
const rules: Record<string, (value: unknown, field: Field) => boolean> = {
  'a text that stands for a number has the limits of the number': (value, { kind }) =>
    typeof value === 'string' && digitsFirst.test(value) && kind.column !== 'text',
  'a number or boolean that becomes a text has the limits of the text': (value, { kind }) =>
    kind.column === 'text' && (typeof value === 'number' || typeof value === 'boolean'),
  'a text may be no time': (value, { kind }) => kind === timeKind && typeof value === 'string',
  'a text counts as blank after its white space and control characters are gone': (value, { kind }) =>
    kind === textKind && typeof value === 'string' && !/[^\s\p{Cc}]/u.test(value),
  'an address must be one that the server may fetch': (value, { traits }) =>
    'format' in traits.limits && typeof value === 'string',
  'objects and lists are judged by their kind': (value, { kind }) =>
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

// Whether the engine serves it, or a room by hand, or it is a config: all with columns that a request may set.
const writable = resources.filter(({ fields }) =>
  Object.values(fields).some(({ traits }) => traits.writability !== 'never'),
);

it('names the hint that updates of pin bindings take, and creates do not', () => {
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
      '%s: the fields accept what the schema accepts, or a named rule says why not',
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

    it('names every required field in the schema, and no other', () => {
      const { required = [] } = bodySchema(resource, 'create') as { required?: string[] };
      const { failures } = parseBody(fields, {}, 'create', options.coercion);
      expect(required.toSorted()).toEqual(Object.keys(failures).toSorted());
    });
  },
);
