import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { sentences } from '../../console/src/data/server-sentences.ts';
import { fieldOf, sentencesIn, serverWords } from '../../console/src/data/server-words.ts';
import * as accountFields from '../../src/accounts/account-fields.ts';
import { errorTable, messagesOf } from '../../src/core/errors.ts';
import { deviceFields } from '../../src/device/device-fields.ts';
import { fbosConfig } from '../../src/device/fbos-config.ts';
import { firmwareConfig } from '../../src/device/firmware-config.ts';
import { webAppConfig } from '../../src/device/web-app-config.ts';
import { parseBody } from '../../src/engine/body.ts';
import { Field, type Fields } from '../../src/engine/fields.ts';
import { fetchFailureReasons } from '../../src/engine/server-fetch.ts';
import { checkProgram } from '../../src/programs/checker.ts';
import { grammar, isKind } from '../../src/programs/grammar.ts';
import * as messages from '../../src/programs/messages.ts';
import { exampleNode } from '../../src/programs/node-examples.ts';
import { parseProgram } from '../../src/programs/program-document.ts';
import { Reference } from '../../src/programs/references.ts';
import { resources } from '../../src/resources.ts';

/** Functions whose texts are sent to clients, and what they put before and after a text. */
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

/** Rooms and files whose messages only other programs and the command line show. */
const forPrograms =
  /^(backup|commands|core\/native|db|doctor|health|http\/batch-|live\/(hook|rabbitmq)|mqtt|operating\/.*operations|operating\/reload|pages|robot|settings)|\.test\.ts$/;

/** Methods that get the messages of an import's report, and a property with the status of the broker. */
const reportMethods = new Set(['problem', 'changed', 'adjusted', 'lost', 'omitted']);

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
  if (isNode(callee) && isNode(callee.property) && isNode(callee.object) && callee.object.name === 'remarks')
    return reportMethods.has(String(callee.property.name)) ? 'refused' : null;
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
          for (const each of messagesOf({ ...failures, ...modelProblems })) found.add(String(each));
        }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => each instanceof Field);

const inFrench = (sentence: string): string => serverWords('fr', sentence, { field: () => 'Champ' });
const lacking = (found: Iterable<string>): string[] => [...found].filter((each) => inFrench(each) === each);

it('every sentence that a field of the API can produce has a French one', () => {
  const found = new Set<string>();
  for (const { fields } of [...resources, fbosConfig, firmwareConfig, webAppConfig]) sentencesOfFields(fields, found);
  for (const fields of [deviceFields, ...Object.values(accountFields)])
    if (isFields(fields)) sentencesOfFields(fields, found);
  expect(found.size).toBeGreaterThan(300);
  expect(lacking(found)).toEqual([]);
});

it('every sentence that a field can produce under `error` names the field', () => {
  const unnamed: string[] = [];
  let count = 0;
  for (const { fields } of resources)
    for (const [name, field] of Object.entries(fields))
      for (const value of hostile)
        for (const sentence of Object.values(
          parseBody({ [name]: field }, { [name]: value }, 'create').modelProblems,
        ).map(String)) {
          count += 1;
          if (fieldOf(sentence) !== name) unnamed.push(sentence);
        }
  expect(count).toBeGreaterThan(50);
  expect(unnamed).toEqual([]);
  expect(sentencesIn('X is too big (at most 8). Gantry Mounted is invalid.').map(fieldOf)).toEqual([
    'x',
    'gantry_mounted',
  ]);
  expect(fieldOf('This pin num is already taken.')).toBe('pin_num');
  expect(fieldOf('The account is not empty (3 plants). Use mode "merge" or "replace".')).toBeUndefined();
});

it('every other sentence that people can get has a French one', () => {
  const written = writtenSentences();
  expect(written.size).toBeGreaterThan(150);
  expect(lacking(written)).toEqual([]);
  expect(lacking(Object.values(errorTable).map(([, sentence]) => String(sentence)))).toEqual([]);
});

it('every sentence of a message broker about itself has a French one', () => {
  const source = ['live/embedded-broker', 'live/rabbitmq/rabbitmq-broker', 'live/rabbitmq/rabbitmq-address'];
  const found = new Set<string>();
  for (const name of source) {
    const text = readFileSync(`src/${name}.ts`, 'utf8');
    // What `status` returns, why there is no connection, and what a failed connection is called.
    const parts = text.split(/(?= {2}status\(\)|this\.#problem = `|export function connectionProblem)/).slice(1);
    for (const part of parts)
      for (const [, literal = ''] of part
        .split('\n  }\n')[0]
        ?.matchAll(/[`']([A-Z][^`']*(?:server's [^`]*)?\.)[`$]?/g) ?? [])
        found.add(literal.replaceAll(/\$\{[^}]*\}/g, 'V'));
  }
  expect(found.delete('The built-in message broker listens on V; V connected.')).toBe(true);
  for (const where of ['port 1883', 'ports 1883 and 8883'])
    for (const clients of ['1 client is', '3 clients are'])
      found.add(`The built-in message broker listens on ${where}; ${clients} connected.`);
  expect(found.size).toBeGreaterThan(12);
  expect(lacking(found)).toEqual([]);
});

it('every sentence of a successful response about a robot or a mail has a French one', () => {
  const found = new Set<string>();
  const source = ['live/robots/robot-commands', 'simulator/simulator', 'simulator/virtual-robots'];
  for (const name of [...source, 'accounts/verification-routes'])
    for (const [, literal = ''] of readFileSync(`src/${name}.ts`, 'utf8').matchAll(
      /(?<!description)[?:=,] [`']([A-Z][^`'\n]*\.)[`']/g,
    ))
      found.add(literal.replaceAll(/\$\{[^}]*\}/g, 'V'));
  expect(found).toContain('It was idle for 15 minutes.');
  expect(found.size).toBeGreaterThan(8);
  expect(lacking(found)).toEqual([]);
});

it('every log of a virtual robot has a French one', () => {
  const found = new Set<string>();
  for (const file of readdirSync('src/robot', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    for (const [, , literal = ''] of readFileSync(`src/robot/${file}`, 'utf8').matchAll(
      /\b(?:log\(\s*'\w+', |log\('\w+',\s+|actions\.(?:end|factoryReset)\()(['`])([^\n]*?\.)\1/g,
    ))
      found.add(literal.replaceAll(/\$\{[^}]*\}/g, 'V'));
  }
  expect(found).toContain('Took a photo.');
  expect(found.delete('V is V: "V" is V, so it V.')).toBe(true);
  for (const result of ['true', 'false'])
    for (const next of ['runs a sequence', 'continues']) found.add(`x is 5: "x < 9" is ${result}, so it ${next}.`);
  for (const next of ['continues', 'recovers and continues', 'ends', 'recovers and ends'])
    found.add(`The assertion failed: the program ${next}.`);
  found.add('The assertion passed: the program continues.');
  expect(found.size).toBeGreaterThan(25);
  expect(lacking(found)).toEqual([]);
});

it('every reason why a webhook was not delivered has a French one', () => {
  const found = new Set(Object.values(fetchFailureReasons).flatMap((reason) => [reason, `${reason} (ECONNRESET)`]));
  for (const name of ['deliverer', 'deliveries'])
    for (const [, literal = ''] of readFileSync(`src/webhooks/${name}.ts`, 'utf8').matchAll(
      /\berror: (?:\w+ \? null : )?['`]([a-z][^'`]*)['`]/g,
    ))
      found.add(literal.replaceAll(/\$\{[^}]*\}/g, '500'));
  expect(found).toContain('the address responded with 500');
  expect(found).toContain('the webhook was switched off');
  expect(lacking(found)).toEqual([]);
});

/** Values that arguments do not accept. */
const wrongValues = [null, '', 'x'.repeat(70_000), 'nobody', -1, 1.5, 1e300, true, [], {}, { kind: 'y', args: {} }];

it('every sentence of the check of a program has a French one', () => {
  const found = new Set<string>();
  const codes = new Set<string>();
  const check = (node: unknown): void => {
    const program = parseProgram({}, [node]);
    const diagnostics = 'tree' in program ? checkProgram(program.tree, 'all').diagnostics : program.problems;
    for (const each of diagnostics) {
      const { code, message } = each instanceof Reference ? each.problem : each;
      codes.add(code);
      found.add(message);
    }
  };
  for (const kind of grammar.keys()) {
    if (!isKind(kind)) continue;
    const node = exampleNode(kind);
    check({ ...node, args: {} });
    check({ ...node, comment: 'x'.repeat(5000), body: [{ kind: 'sequence', args: {} }, { kind: 'z', args: {} }, 5] });
    for (const name of [...Object.keys(node.args), 'y'])
      for (const value of [
        ...wrongValues,
        { kind: 'identifier', args: { label: 'Bed' } },
        { kind: 'nothing', args: {} },
      ])
        check({ ...node, args: { ...node.args, [name]: value } });
  }
  let deep: unknown = { kind: 'wait', args: { milliseconds: 1 } };
  for (let depth = 0; depth < 600; depth++) deep = { kind: 'lua', args: {}, body: [deep] };
  check(deep);
  const { luaSyntax, unknownVariable, unsetVariable } = messages;
  for (const each of [luaSyntax('line 1'), unknownVariable('Bed'), unsetVariable('Sow', 'Bed')]) found.add(each);
  expect([...codes].sort()).toEqual(
    expect.arrayContaining([
      'misplaced',
      'missing_argument',
      'no_node',
      'not_found',
      'too_deep',
      'unpicked',
      'wrong_type',
    ]),
  );
  expect(found.size).toBeGreaterThan(300);
  expect(lacking(found)).toEqual([]);
  // No part of the English sentences remains between the French words, whose names come from the editor.
  const french = [...found].map((each) =>
    serverWords('fr', each, { field: String, node: () => 'N', argument: () => 'A' }),
  );
  expect(french.filter((each) => /\b(must|the|not|body|which|has|argument|holds|whose)\b/.test(each))).toEqual([]);
  const names = { field: String, node: () => 'Attendre', argument: () => 'Durée' };
  expect(serverWords('fr', 'Step 2: "milliseconds" of wait must be a number, not the string "x".', names)).toBe(
    'Étape 2 : « Attendre » : « Durée » doit être un nombre, pas le texte « x ».',
  );
});

it('all values of a sentence are used in each language', () => {
  for (const [sentence, words] of Object.entries(sentences))
    if (typeof words === 'string')
      expect(words.split('{}').length, sentence).toBeLessThanOrEqual(sentence.split(/\{[a-z]*\}/).length);
});

const labels: Readonly<Record<string, string>> = { 'Pin Num': 'Broche', Name: 'Nom' };
const french = (text: string): string => serverWords('fr', text, { field: (name) => labels[name] ?? name });

it('names fields by their labels, also those of several sentences', () => {
  expect(french('Pin Num is required.')).toBe('« Broche » est obligatoire.');
  expect(french('Name is too long (at most 80 characters). Pin Num is out of range.')).toBe(
    '« Nom » doit avoir au plus 80 caractères. « Broche » est hors limites.',
  );
  expect(serverWords('en', 'Pin Num must be one of 0, 1.', { field: () => 'Pin' })).toBe('Pin must be one of 0, 1.');
});

it('says what uses a record in the words of the console', () => {
  const used =
    "Sequence is still in use by the farm events of 11/28, 12/01 and the sequences 'Sow and water', 'Rinse'.";
  expect(serverWords('en', used, { field: String })).toBe(
    "This program is still in use by the scheduled events of 11/28, 12/01 and the programs 'Sow and water', 'Rinse'.",
  );
  expect(french(used)).toBe(
    'Ce programme sert encore à : les événements planifiés des 28/11, 01/12 et les programmes « Sow and water », « Rinse ».',
  );
  expect(french('Still in use by the pin binding of pin 5 and the start of the robot.')).toBe(
    'Sert encore à : le bouton de la broche 5 et le démarrage du robot.',
  );
  expect(french("Still in use by the sequence 'Bed: water'.")).toBe('Sert encore à : le programme « Bed: water ».');
  const one = "Still in use by the sequence 'A': plant at (100, 200, 0).";
  expect(serverWords('en', one, { field: String })).toBe("Still in use by the program 'A': plant at (100, 200, 0).");
  expect(french(one)).toBe('Sert encore à : le programme « A » (plante en (100, 200, 0)).');
  const many = "the sequences 'A', 'B', 2 more: slot at (1, 2.5, -3); weed at (4, 5, 6); point at (7, 8, 9); 1 more.";
  expect(french(`Still in use by ${many}`)).toBe(
    'Sert encore à : les programmes « A », « B », 2 autres (emplacement en (1, 2.5, -3) ; mauvaise herbe en (4, 5, 6) ; point en (7, 8, 9) ; 1 autre).',
  );
  expect(french("The tool must stay in its slot: it is still in use by the sequences 'A', 'B'.")).toBe(
    'L’outil doit rester à son emplacement. Il sert encore à : les programmes « A », « B ».',
  );
  expect(french('This curve is still in use by Tomato.')).toBe('Cette courbe sert encore à : Tomato.');
  expect(french('This curve is still in use by Tomato, Leek and 2 more.')).toBe(
    'Cette courbe sert encore à : Tomato, Leek et 2 autres.',
  );
});

it('omits what is for programs, and keeps unknown texts', () => {
  const names = { field: (name: string): string => name };
  expect(serverWords('en', 'Tool 7 changed since. Send "force": true to put it back nevertheless.', names)).toBe(
    'Tool 7 changed since.',
  );
  expect(french('Part 3 (POST /api/points): Name must not be blank.')).toBe('« Nom » ne doit pas rester vide.');
  expect(french('Le robot: kaputt')).toBe('Le robot: kaputt');
});
