import { maxCommentLength, maxTextLength } from './checker.ts';
import type { RuleName } from './corpus.ts';
import type { EnumName } from './corpus-args.ts';
import { enums, languageVersion } from './corpus-args.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { argRules, grammar, valuesOf } from './grammar.ts';
import { shortValues, valueTypeNames } from './messages.ts';
import { exampleNode } from './node-examples.ts';
import { nodeText, programText } from './program-text.ts';
import { targets } from './targets.ts';
import type { Node } from './tree.ts';
import { maxNodes, maxTotalLength, sequenceTree } from './tree.ts';

const code = (text: string | number): string => `\`${text}\``;
const listed = (items: readonly (string | number)[]): string => items.map(code).join(', ');

/** Columns of JSON in examples. */
const width = 110;

/** JSON on as few lines as people can read: what fits into one line stands on one. */
function json(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (indent.length + line.length <= width || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((item) => json(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${json(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}\n${indent}${close}`;
}

const block = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

const ruleWords: Readonly<Record<RuleName, string>> = {
  'never stored': 'Refused in every program.',
  'only as default': 'Only as the `default_value` of a `parameter_declaration`.',
  'no analog light': 'With `BoxLed3` or `BoxLed4`, `pin_mode` must be 0.',
  'a tool is mounted': 'In `update_resource`, the value of `mounted_tool_id` must be one of your tools, or 0.',
};

function takes(rule: ArgRule): string {
  const words = rule.takes.filter((word) => word !== 'integer' || !rule.plain.has('float'));
  return words
    .map(
      (word) =>
        valueTypeNames[word] ?? (word === rule.enumName ? `one of ${listed(valuesOf(rule.enumName))}` : code(word)),
    )
    .join(', ');
}

function rulesOf({ row: { record, pick, allowedList, length, max } }: ArgRule): string {
  const rules: string[] = [];
  if (allowedList) rules.push(`texts must be in the list ${code(allowedList)}`);
  if (length) rules.push(`${length[0]} to ${length[1]} characters`);
  if (max !== undefined) rules.push(`at most ${max}`);
  if (typeof record === 'string') rules.push(`the id of a ${targets[record].noun}`);
  else if (record) rules.push(`the id of a record of the type in ${code(record.arg)}`);
  if (pick) rules.push('not 0');
  return rules.length > 0 ? `; ${rules.join('; ')}` : '';
}

function section({ kind, row, args, body }: KindRule): string {
  const example = exampleNode(kind);
  const holds = row.body === 'steps' ? 'any step' : listed([...body]);
  const parts = [
    `### ${kind}`,
    row.rule ? `${row.about} ${ruleWords[row.rule]}` : row.about,
    [...args.values()].map((rule) => `- ${code(rule.name)}: ${takes(rule)}${rulesOf(rule)}`).join('\n'),
    body.size > 0 ? `Its body can hold ${holds}.` : '',
    block('json', json(example)),
    block('text', nodeText(example)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Kinds that can be met in a sequence, however deep. */
function kindsInPrograms(): ReadonlySet<string> {
  const met = new Set<string>(['sequence']);
  for (const kind of met) {
    const rule = grammar.get(kind);
    for (const arg of rule?.args.values() ?? []) for (const nested of arg.kinds) met.add(nested);
    for (const child of rule?.body ?? []) met.add(child);
  }
  return met;
}

const sections = (rules: readonly KindRule[]): string => rules.map(section).join('\n\n');

const valuesText = (name: EnumName): string => {
  const from = enums[name];
  return typeof from === 'string' ? from : listed(shortValues(name));
};

function firstProgram(): { args: object; body: Node[] } {
  const { kind, args } = exampleNode('parameter_declaration');
  const move = exampleNode('move_absolute');
  const location: Node = { kind: 'identifier', args: { label: 'bed' } };
  const offset: Node = { kind: 'coordinate', args: { x: 0, y: 0, z: 150 } };
  return {
    args: { locals: { kind: 'scope_declaration', args: {}, body: [{ kind, args: { ...args, label: 'bed' } }] } },
    body: [
      { ...move, args: { ...move.args, location, offset } },
      { ...exampleNode('wait'), comment: 'let it settle' },
      exampleNode('take_photo'),
    ],
  };
}

/** The page `docs/command-language.md`. */
export function commandLanguagePage(): string {
  const rules = [...grammar.values()];
  const inPrograms = kindsInPrograms();
  const program = firstProgram();
  const text = programText(sequenceTree({ ...program.args }, program.body).root);
  return `# The command language

<!-- Written by \`npm run docs\` from src/programs/corpus.ts and corpus-args.ts. -->

Programs of a garden robot are trees of nodes, written as JSON. This page describes all of them. The same as data: \`GET /api/corpus\`.

## A first program

A sequence is created with \`POST /api/sequences\`; \`args\` and \`body\` are its program:

${block('json', json({ name: 'Look at a bed', ...program }))}

The same as people read it:

${block('text', text)}

Every sequence reads like this at \`GET /api/sequences/:id/text\`. \`POST /api/sequences/check\` tells what is wrong with a program
without storing it.

## Nodes

A node is an object with these keys, and no others are kept:

- \`kind\`: what it is;
- \`args\`: its arguments by name. All arguments of a kind are needed, and there are no others;
- \`body\`: a list of nodes, where the kind has one. It may be left out, and an empty one is not kept;
- \`comment\`: a text for people, anywhere. In sequences at most ${maxCommentLength} characters.

An argument holds a plain value or a node. Where a whole number is asked for, 1.5 and "1" are refused.
Ids must be those of records of your own account, and must exist when the program is stored.

A program that is not right is refused with 422 and a sentence about the first problem. The order: structure first, then from the
root downwards: what stands in the body, missing arguments, unknown arguments, each argument's value, then the nodes in the arguments, then those in the body.

## Variables

The body of \`args.locals\` declares variables. A \`variable_declaration\` has a fixed value; a \`parameter_declaration\` has a
default, and whoever runs the sequence may give another value: \`execute\`, a regimen or a farm event with \`parameter_application\`
in its body. The default may be a placeholder (\`location_placeholder\`, \`number_placeholder\`, …), which says what is asked for.

An \`identifier\` stands for a variable. One with a default may stand where \`identifier\` is allowed; one with a fixed value
wherever that value is allowed itself. If two have the same label, the first one counts. Bodies of regimens and farm events
have no variables. Variables in Lua are the robot's business and are not checked.

## Limits

- Steps of a sequence: 30, unless the account has another limit. Nodes inside of steps do not count.
- Texts in sequences: ${maxTextLength} characters as JSON, quotes and escapes included.
- Nodes of one program: ${maxNodes}. Characters of all its texts, names and kinds together: ${maxTotalLength}.
- \`args.version\` is always ${languageVersion}, whatever is sent.

## Steps

What the body of a sequence holds.

${sections(rules.filter(({ row }) => row.step !== undefined))}

## Parts of steps

${sections(rules.filter(({ kind, row }) => row.step === undefined && inPrograms.has(kind)))}

## Not in sequences

${sections(rules.filter(({ kind }) => !inPrograms.has(kind)))}

## Arguments

| Argument | Takes |
|---|---|
${[...argRules.values()].map((rule) => `| ${code(rule.name)} | ${takes(rule)}${rulesOf(rule)} |`).join('\n')}

## Lists of values

| List | Values |
|---|---|
${(Object.keys(enums) as EnumName[]).map((name) => `| ${code(name)} | ${valuesText(name)} |`).join('\n')}
`;
}
