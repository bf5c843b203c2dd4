import fc from 'fast-check';

// Malicious and malformed input, the same in every run.

/** Returns incompressible text, for limits of index sizes. */
const noise = (length: number): string => {
  let state = 7;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
};

/** Names with a meaning in JavaScript, SQL or JSON. */
export const hostileNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'id',
  'device_id',
  'created_at',
  'updated_at',
  'user',
  '',
  'a\0b',
  '\ud800',
  '"; drop table points; --',
];

/** Values for any field. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x\ud83d',
  '🌱'.repeat(300),
  '\u202e\u2028\ufeff',
  '"\'\\%_$x{{x}}\r\n\t',
  "'; drop table points; --",
  '__proto__',
  'constructor',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '99999999999999999999999',
  '-9223372036854775809',
  '2026-02-30T00:00:00Z',
  '0000-00-00',
  '9999-12-31T23:59:59.999-23:59',
  '0001-01-01T00:00:00+14:00',
  noise(300),
  noise(5000),
  0,
  -0,
  -1,
  0.1,
  1.5,
  1e-7,
  5e-324,
  1e21,
  1e300,
  -1e300,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
  [],
  [null],
  [[[]]],
  [1, 'a', {}],
  Array.from({ length: 2000 }, (_, index) => index),
  {},
  { toString: 1, valueOf: null, length: -1, toJSON: 'x' },
  { constructor: { prototype: { polluted: true } } },
  { 'a\0': 'b\0', '\ud800': '\ud800' },
  {
    day: { op: '<', days_ago: 1e300 },
    number_gt: { x: 1e300 },
    string_eq: { 'a.b': ['\0'] },
    number_eq: { constructor: [-0] },
  },
  { length: 1e300, 0: {} },
];

const nested = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);

/** Bodies as bytes, and the response status where an object is required (null: any status below 500). */
export const hostileBodies: readonly (readonly [name: string, bytes: string | Buffer, status: number | null])[] = [
  ['nothing', '', 422],
  ['white space', ' \n\t', 422],
  ['no JSON', '{"name":', 422],
  ['a list', '[{"name":"x"}]', 422],
  ['a text', '"x"', 422],
  ['null', 'null', 422],
  [
    'a number beyond numbers',
    '{"name":1e999,"x":-1e999,"meta":{"a":1e999},"value":{"a":[1e999]},"data":{"1":1e999}}',
    null,
  ],
  [
    'digits beyond numbers',
    '{"name":123456789012345678901234567890,"x":9007199254740993,"pin":-0,"id":9223372036854775808}',
    null,
  ],
  ['a prototype', '{"__proto__":{"name":"x"},"meta":{"__proto__":{"a":1}},"name":"x"}', null],
  ['a prototype in escapes', '{"\\u005f_proto__":{"name":"x"},"value":{"\\u005f_proto__":[]}}', null],
  ['half a surrogate', '{"name":"\\ud800","label":"\\udfff","\\ud800":1,"value":{"\\udc00":"\\ud800"}}', null],
  ['NUL', '{"name":"a\\u0000b","label":"\\u0000","meta":{"\\u0000":"\\u0000"},"value":"\\u0000"}', null],
  ['a bare NUL', '{"name":"a\0b"}', 422],
  ['the same key twice', '{"name":"a","name":{"b":1}}', null],
  ['a byte order mark', '\ufeff{"name":"x"}', null],
  [
    'bytes that are no UTF-8',
    Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, 0xc0, 0x80, ...Buffer.from('"}')]),
    422,
  ],
  ['a surrogate in UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]), 422],
  ['101 lists', `{"name":${nested('[', ']', 100)}}`, 422],
  ['101 objects', `${nested('{"meta":', '}', 101).replace(':}', ':1}')}`, 422],
  ['10,000 lists', nested('[', ']', 10_000), 422],
  ['10,000 objects', `${'{"meta":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 422],
  ['100 objects', `${'{"meta":'.repeat(100)}1${'}'.repeat(100)}`, null],
  ['a text of a megabyte', JSON.stringify({ name: noise(1_000_000), label: 'x' }), null],
  ['a list of a megabyte', `{"point_ids":[${'1,'.repeat(400_000)}1],"channels":[]}`, null],
  ['100,000 keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":${index}`).join()}}`, null],
  ['more than a mebibyte', `{"name":"${'x'.repeat(1024 * 1024)}"}`, 413],
];

/** Ids in a path, percent-encoded. */
export const hostileIds: readonly string[] = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  '01',
  '999999999',
  '999999999999999',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999999',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'all',
  'search',
  '%00',
  '1%00',
  '%ff',
  '%E0%A4%A',
  '%ED%A0%80',
  '%F0%9F%8C%B1',
  '%2e%2e%2ftools',
  '%2F',
  '%25',
  "1'%20or%201=1--",
  '%0d%0aset-cookie:%20a=b',
  ',',
  '1,1,,1',
  '1,-1,x,9223372036854775808,1e300',
  'x'.repeat(5000),
  '9'.repeat(5000),
  Array.from({ length: 2000 }, (_, index) => index + 1_000_000).join(),
  Array.from({ length: 10_000 }, (_, index) => index + 1_000_000).join(),
];

const queryNames = [
  ...[
    'page',
    'per',
    'filter',
    'name',
    'x',
    'y',
    'z',
    'radius',
    'depth',
    'pointer_type',
    'plant_stage',
    'openfarm_slug',
  ],
  ...[
    'message',
    'type',
    'verbosity',
    'platform',
    'channel',
    'device_id',
    'meta',
    'meta[a]',
    'meta[]',
    'meta[__proto__]',
    'meta[a][b]',
  ],
  ...['__proto__', 'constructor', '', '%00', '%ff', '[', 'page[]'],
];
const queryValues = [
  ...[
    '',
    '0',
    '-1',
    '1',
    '1.5',
    'x',
    'all',
    'old',
    'kept',
    'null',
    '%00',
    '%ff',
    '%ED%A0%80',
    '%',
    '1e3',
    '1e999',
    '-1e999',
    'NaN',
  ],
  ...[
    '2147483648',
    '9007199254740993',
    '9223372036854775808',
    '9'.repeat(400),
    'x'.repeat(3000),
    "'--",
    '1%20',
    'Plant',
    'info',
  ],
];

/** Query strings with parameter names that routes read. */
export const hostileQuery: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...queryNames), fc.constantFrom(...queryValues)), { minLength: 1, maxLength: 5 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

// Not fc.string({ unit: 'binary' }), which lists all characters first: that takes a second.
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 20 })
  .map((points) => String.fromCodePoint(...points));

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.integer() },
);

/** Objects with the fields of a route and arbitrary values. */
export const hostileObject = (fields: readonly string[]): fc.Arbitrary<object> =>
  fc.dictionary(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...fields, 'name') },
      { weight: 1, arbitrary: fc.constantFrom(...hostileNames) },
    ),
    value,
    { maxKeys: 8, noNullPrototype: true },
  );

/** A valid body with arbitrary values in one or two of its fields. */
export const corruptedBody = (fields: readonly string[], good: object): fc.Arbitrary<object> =>
  fc
    .dictionary(fc.constantFrom(...fields, 'name'), value, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
    .map((changes) => ({ ...good, ...changes }));
