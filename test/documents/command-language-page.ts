import type { RuleName } from '../../src/programs/corpus.ts';
import type { EnumName } from '../../src/programs/corpus-args.ts';
import { enums, languageVersion } from '../../src/programs/corpus-args.ts';
import type { ArgRule, KindRule } from '../../src/programs/grammar.ts';
import { argRules, grammar, maxCommentLength, maxTextLength, valuesOf } from '../../src/programs/grammar.ts';
import { exampleNode } from '../../src/programs/node-examples.ts';
import { shortValues, valueTypeNames } from '../../src/programs/problem-messages.ts';
import { nodeText, programText } from '../../src/programs/program-text.ts';
import { targets } from '../../src/programs/targets.ts';
import type { Node } from '../../src/programs/tree.ts';
import { maxNodes, maxTotalLength, sequenceTree } from '../../src/programs/tree.ts';

const code = (text: string | number): string => `\`${text}\``;
const listed = (items: readonly (string | number)[]): string => items.map(code).join(', ');

/** Maximum width of JSON in examples, in characters. */
const width = 110;

/** Formats JSON; values that fit into one line are not broken. */
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
  'never stored': 'Rejected in every program.',
  'only as default': 'Only as the `default_value` of a `parameter_declaration`.',
  'no analog light': 'With `BoxLed3` or `BoxLed4`, `pin_mode` must be 0.',
  'a tool is mounted': 'In `update_resource`, the value of `mounted_tool_id` must be one of your tools, or 0.',
};

function takes(rule: ArgRule): string {
  const words = rule.takes.filter((word) => word !== 'integer' || !rule.plain.has('float'));
  return words
    .map(
      (word) =>
        `${valueTypeNames.get(word) ?? (word === rule.enumName ? `one of ${listed(valuesOf(rule.enumName))}` : code(word))}`,
    )
    .join(', ');
}

function argumentRules({ row: { record, pick, allowedList, length, max } }: ArgRule): string {
  const rules: string[] = [];
  if (allowedList) rules.push(`strings must be in the list ${code(allowedList)}`);
  if (length) rules.push(`${length[0]} to ${length[1]} characters`);
  if (max !== undefined) rules.push(`at most ${max}`);
  if (typeof record === 'string') rules.push(`the id of a ${targets[record].noun}`);
  else if (record) rules.push(`the id of a record of the type in ${code(record.arg)}`);
  if (pick) rules.push('not 0');
  return rules.length > 0 ? `; ${rules.join('; ')}` : '';
}

function section({ kind, row, args, body }: KindRule): string {
  const example = exampleNode(kind);
  const contents = row.body === 'steps' ? 'any step' : listed([...body]);
  const parts = [
    `### ${kind}`,
    row.rule ? `${row.about} ${ruleWords[row.rule]}` : row.about,
    [...args.values()].map((rule) => `- ${code(rule.name)}: ${takes(rule)}${argumentRules(rule)}`).join('\n'),
    body.size > 0 ? `The body can contain ${contents}.` : '',
    block('json', json(example)),
    block('text', nodeText(example)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Returns the kinds that are allowed in a sequence at any depth. */
function kindsInPrograms(): ReadonlySet<string> {
  const kinds = new Set<string>(['sequence']);
  for (const kind of kinds) {
    const rule = grammar.get(kind);
    for (const arg of rule?.args.values() ?? []) for (const nested of arg.kinds) kinds.add(nested);
    for (const child of rule?.body ?? []) kinds.add(child);
  }
  return kinds;
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

/** Returns the content of `docs/command-language.md`. */
export function commandLanguagePage(): string {
  const rules = [...grammar.values()];
  const inPrograms = kindsInPrograms();
  const program = firstProgram();
  const text = programText(sequenceTree({ ...program.args }, program.body).root);
  return `# The command language

<!-- Generated by \`npm run docs\` from src/programs/corpus.ts and corpus-args.ts. -->

Programs of a garden robot are trees of nodes, written as JSON. This page describes all kinds of nodes; \`GET /api/corpus\` returns them as data.

## A first program

\`POST /api/sequences\` creates a sequence; \`args\` and \`body\` are its program:

${block('json', json({ name: 'Look at a bed', ...program }))}

The same program as text:

${block('text', text)}

\`GET /api/sequences/{id}/text\` returns any sequence as text. \`POST /api/sequences/check\` reports all problems of a program without storing it.

## Nodes

A node is an object with these keys; other keys are dropped:

- \`kind\`: the kind of node;
- \`args\`: its arguments by name. All arguments of a kind are required, and no others are allowed;
- \`body\`: a list of nodes, if the kind allows one. Optional; an empty list is not stored;
- \`comment\`: an optional string on any node. In sequences at most ${maxCommentLength} characters.

An argument is a plain value or a node. Where a whole number is required, 1.5 and "1" are rejected.
Ids must name existing records of your own account.

An invalid program is rejected with 422 and a message about the first problem. Its structure is checked first. Then each node is checked, starting at the
root: the kinds in its body, missing arguments, unknown arguments, the value of each argument, the nodes in its arguments, the nodes in its body.

## Variables

The body of \`args.locals\` declares variables. A \`variable_declaration\` has a fixed value. A \`parameter_declaration\` has a
default, which an \`execute\`, a regimen or a farm event can override with a \`parameter_application\` in its body. The default
may be a placeholder (\`location_placeholder\`, \`number_placeholder\`, …), which only states the type.

An \`identifier\` refers to a variable. A variable with a default can be used where \`identifier\` is allowed, one with a fixed value
wherever that value is allowed. Of variables with the same label the first one counts. Bodies of regimens and farm events
have no variables. Variables in Lua are not checked.

## Limits

- Steps of a sequence: 30, unless the account has another limit. Nested nodes do not count.
- Strings: ${maxTextLength} characters as JSON, including quotes and escapes.
- Nodes of a program: ${maxNodes}. Total length of its strings, names and kinds: ${maxTotalLength} characters.
- \`args.version\` is always ${languageVersion}; a different value is replaced.

## Steps

Nodes that are allowed in the body of a sequence.

${sections(rules.filter(({ row }) => row.step !== undefined))}

## Parts of steps

${sections(rules.filter(({ kind, row }) => row.step === undefined && inPrograms.has(kind)))}

## Not in sequences

${sections(rules.filter(({ kind }) => !inPrograms.has(kind)))}

## Arguments

| Argument | Accepts |
|---|---|
${[...argRules.values()].map((rule) => `| ${code(rule.name)} | ${takes(rule)}${argumentRules(rule)} |`).join('\n')}

## Lists of values

| List | Values |
|---|---|
${(Object.keys(enums) as EnumName[]).map((name) => `| ${code(name)} | ${valuesText(name)} |`).join('\n')}
`;
}
