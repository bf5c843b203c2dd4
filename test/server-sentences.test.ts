import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { sentences } from '../console/src/data/server-sentences.ts';
import { serverWords } from '../console/src/data/server-words.ts';
import * as accountFields from '../src/accounts/account-fields.ts';
import { errorTable } from '../src/core/errors.ts';
import { quotas } from '../src/core/quotas.ts';
import { deviceFields } from '../src/device/device-fields.ts';
import { fbosConfig } from '../src/device/fbos-config.ts';
import { firmwareConfig } from '../src/device/firmware-config.ts';
import { webAppConfig } from '../src/device/web-app-config.ts';
import { parseBody } from '../src/engine/body.ts';
import { Field, type Fields } from '../src/engine/fields.ts';
import { resources } from '../src/resources.ts';

/** Functions whose texts are sent to clients, and what stands before and behind a text of theirs. */
const makers: Readonly<Record<string, readonly [before: string, behind: string]>> = {
  Failure: ['', ''],
  Problem: ['', ''],
  fieldProblem: ['Field ', '.'],
  invalid: ['', ''],
  modelProblem: ['Field ', '.'],
  notFound: ['', ' not found.'],
  refused: ['', ''],
  throttled: ['', ''],
};

/** Rooms and files that people never meet: other programs and the command line do. */
const forPrograms =
  /^(backup|commands|core\/native|db|doctor|health|http\/batch-|live\/(hook|rabbitmq)|mqtt|operating\/.*operations|operating\/reload|pages|robot|settings)|\.test\.ts$/;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The text of a literal with V in place of its values; undefined for other nodes. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('V');
}

/** Names of functions, and of tables, that hold what {@link makers} get. */
const namesOfProblems = /problem|failure|refus|sentence/i;

/** The maker whose texts a node has: one that is called, or what is named like them. */
function makerOf({ type, callee, id, left }: Node): string | null {
  if (isNode(callee) && typeof callee.name === 'string' && Object.hasOwn(makers, callee.name)) return callee.name;
  const name = isNode(id) ? id.name : isNode(left) && isNode(left.object) ? left.object.name : undefined;
  const isNamed = /Declarat/.test(type) || type === 'AssignmentExpression';
  return isNamed && typeof name === 'string' && namesOfProblems.test(name) ? 'refused' : null;
}

/** Collects the sentences that are passed to {@link makers}. */
function collect(value: unknown, maker: string | null, found: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collect(each, maker, found);
  if (!isNode(value)) return;
  const text = textOf(value);
  const [before, behind] = makers[maker ?? ''] ?? ['', ''];
  if (text !== undefined && maker !== null && /[a-z]{2} [a-z]/.test(text)) {
    const sentence = before + text + behind;
    if (/[.)]$/.test(sentence)) found.add(sentence);
  }
  if (isNode(value.key) && value.key.name === 'description') return;
  const inner = makerOf(value) ?? maker;
  for (const each of Object.values(value)) collect(each, inner, found);
}

function writtenSentences(): Set<string> {
  const found = new Set<string>();
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || forPrograms.test(file)) continue;
    collect(parseAst(readFileSync(`src/${file}`, 'utf8'), { lang: 'ts' }).body, null, found);
  }
  return found;
}

/** Values of which each field refuses some. */
const hostile = [
  undefined,
  null,
  '',
  ' ',
  {},
  [],
  true,
  -1,
  1.5,
  1e12,
  1e300,
  'x',
  'x'.repeat(70_000),
  [{}],
  ['x'],
  '::',
];

function sentencesOfFields(fields: Fields, found: Set<string>): void {
  for (const [name, field] of Object.entries(fields))
    for (const mode of ['create', 'update'] as const)
      for (const coercion of ['parse', 'cast'] as const)
        for (const value of hostile) {
          const { failures, modelProblems } = parseBody({ [name]: field }, { [name]: value }, mode, coercion);
          for (const each of [...Object.values(failures), ...modelProblems])
            if (typeof each === 'string') found.add(each);
        }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => each instanceof Field);

const inFrench = (sentence: string): string => serverWords('fr', sentence, () => 'Champ');
const lacking = (found: Iterable<string>): string[] => [...found].filter((each) => inFrench(each) === each);

it('every sentence that a field of the API can produce has a French one', () => {
  const found = new Set<string>();
  for (const { fields } of [...resources, fbosConfig, firmwareConfig, webAppConfig]) sentencesOfFields(fields, found);
  for (const fields of [deviceFields, ...Object.values(accountFields)])
    if (isFields(fields)) sentencesOfFields(fields, found);
  expect(found.size).toBeGreaterThan(300);
  expect(lacking(found)).toEqual([]);
});

it('every other sentence that people can get has a French one', () => {
  const written = writtenSentences();
  expect(written.size).toBeGreaterThan(150);
  expect(lacking(written)).toEqual([]);
  expect(lacking(Object.values(errorTable).map(([, sentence]) => sentence))).toEqual([]);
  expect(lacking(Object.values(quotas).map(({ refusal }) => refusal))).toEqual([]);
});

it('all values of a sentence stand in each language', () => {
  for (const [sentence, words] of Object.entries(sentences))
    if (typeof words === 'string')
      expect(words.split('{}').length, sentence).toBeLessThanOrEqual(sentence.split('{}').length);
});

const labels: Readonly<Record<string, string>> = { 'Pin Num': 'Broche', Name: 'Nom' };
const french = (text: string): string => serverWords('fr', text, (name) => labels[name] ?? name);

it('names fields by their labels, also those of several sentences', () => {
  expect(french('Pin Num is required.')).toBe('« Broche » est obligatoire.');
  expect(french('Name is too long (at most 80 characters). Pin Num is out of range.')).toBe(
    '« Nom » doit avoir au plus 80 caractères. « Broche » est hors limites.',
  );
  expect(serverWords('en', 'Pin Num must be one of 0, 1.', () => 'Pin')).toBe('Pin must be one of 0, 1.');
});

it('leaves out what is for programs, and keeps what it does not know', () => {
  const label = (name: string): string => name;
  expect(serverWords('en', 'Tool 7 changed since. Send "force": true to put it back nevertheless.', label)).toBe(
    'Tool 7 changed since.',
  );
  expect(french('Part 3 (POST /api/points): Name must not be blank.')).toBe('« Nom » ne doit pas rester vide.');
  expect(french('Le robot: kaputt')).toBe('Le robot: kaputt');
});
