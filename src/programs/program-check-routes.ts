import { Message } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import { find } from '../engine/records.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { isReadable } from './checker.ts';
import { exampleNode } from './node-examples.ts';
import { anyNodesSchema } from './node-schemas.ts';
import type { ProgramProblem } from './problem.ts';
import { fieldProblem, maxProblems } from './problem.ts';
import type { ProgramInput } from './program-document.ts';
import { parseProgram } from './program-document.ts';
import { argsKind } from './program-kinds.ts';
import type { Owner } from './program-store.ts';
import { findProgramProblems } from './program-store.ts';
import { programText } from './program-text.ts';
import { findProgramWarnings } from './program-warnings.ts';
import { findRecordNames } from './record-names.ts';
import { inputFields } from './sequence-changes.ts';
import { stepLimitFailure } from './sequence-limits.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequenceIdOf } from './sequence-routes.ts';
import { sequences } from './sequences.ts';
import { sequenceTree } from './tree.ts';

/** The response of a check. */
interface ProgramCheck {
  readonly ok: boolean;
  readonly problems: readonly ShownProblem[];
  readonly warnings: readonly ShownProblem[];
}

/** A problem, of which people read where it is. [ADR 95] */
type ShownProblem = Pick<ProgramProblem, 'path' | 'code' | 'line' | 'message'>;

const programSchema = Type.Object(
  {
    args: Type.Optional({ ...argsKind.input, description: 'Its variables: `locals`.' }),
    body: Type.Optional({ ...anyNodesSchema, description: 'The steps. Other kinds of nodes are among the problems.' }),
  },
  { $id: 'Program', examples: [{ body: [exampleNode('wait')] }] },
);

const problemSchema = Type.Object({
  path: Type.String({
    description: 'Where: a JSON pointer into `args` and `body`, as `/body/2/args/location`.',
  }),
  code: Type.String({
    description: 'The type of problem: `missing_argument`, `not_found`, …',
  }),
  line: Type.Optional(Type.Integer({ description: 'In Lua, from 1.' })),
  message: Type.String({ description: 'A sentence for users.' }),
});

const checkSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'The program could be stored.' }),
    problems: Type.Array(problemSchema, {
      maxItems: maxProblems,
      description: 'In checking order: storing the program would report the first one.',
    }),
    warnings: Type.Array(problemSchema, {
      maxItems: maxProblems,
      description:
        'What can be stored and fails when it runs: `lua_syntax` (nothing is run), `lua_dialect` where the robot’s Lua differs from Lua 5.4, `unknown_function` that Lua calls, `wrong_arguments` that a robot refuses or ignores, `unread_pin` that `_if` compares, `unknown_variable` that Lua uses, `unset_variable` of a sequence that is run.',
    }),
  },
  {
    $id: 'ProgramCheck',
    examples: [{ ok: true, problems: [], warnings: [] }],
  },
);

const shown = (problems: readonly ProgramProblem[]): ShownProblem[] =>
  problems.slice(0, maxProblems).map(({ path, code, line, message, inPlace }) => ({
    ...{ path, code, ...(line !== undefined && { line }) },
    message: new Message((reader) => (reader === 'api' ? message : inPlace).in(reader)),
  }));

const toCheck = (problems: readonly ProgramProblem[], warnings: readonly ProgramProblem[] = []): ProgramCheck => ({
  ok: problems.length === 0,
  problems: shown(problems),
  warnings: shown(warnings),
});

/** Checks everything that storing a program would check. `owner` null: the program is new. `before`: its current number of steps. */
async function checkInput(
  scope: DeviceScope,
  input: ProgramInput,
  owner: Owner | null,
  before = 0,
): Promise<ProgramCheck> {
  if (!('tree' in input)) return toCheck(input.problems);
  const problems = await findProgramProblems(scope, input.tree, owner);
  const { step_count: limit } = await stepLimitFailure(scope, input.steps, before);
  const limitProblems = limit instanceof Message ? [fieldProblem('too_large', '/body', limit)] : [];
  const isTooLarge = limitProblems.length > 0 || !isReadable(input.tree);
  return toCheck([...problems, ...limitProblems], isTooLarge ? [] : await findProgramWarnings(scope, input.tree));
}

/** Routes that check programs and return them as text. The original service has none of them. */
export function programCheckRoutes(): DeviceRoute[] {
  const common = { access: 'token', tag: sequences.options.tag, addition: true } as const;
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/check',
      readsOnly: true,
      summary: 'Check a program without storing it: all its problems at once',
      description:
        'Reports all problems of a program, with the place of each, as storing it would check it. Nothing is stored. A program that is too large has no warnings.',
      body: { rule: 'object', schema: programSchema },
      replies: { 200: checkSchema },
      transaction: false,
      async handle(scope, call) {
        const { args, body } = inputFields(objectBody(call));
        return checkInput(scope, parseProgram(args, body), null);
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/check',
      readsOnly: true,
      summary: 'Check a stored program, or a change to it, without storing anything',
      description:
        'Reports all problems of the stored program, or of the program that an update with this body would store.',
      body: { rule: 'optional', schema: programSchema },
      replies: { 200: checkSchema },
      transaction: false,
      async handle(scope, call) {
        const sequence = await find(scope, sequences, sequenceIdOf(call.params));
        const stored = await findShownProgram(scope, sequence);
        const { args, body } = inputFields(objectBody(call));
        // As in an update: a body without `args` resets the variables, `args` without a body keep the steps.
        const program = body === undefined ? parseProgram(args ?? stored.args, stored.body) : parseProgram(args, body);
        return checkInput(scope, program, { kind: 'Sequence', id: sequence.id }, stored.body.length);
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/sequences/:id/text',
      summary: 'Read a program as text',
      description: 'Returns the program as indented text, with the names of the records that it uses.',
      replies: { 200: 'text' },
      textExamples: { 200: programText(sequenceTree(null, [exampleNode('wait')]).root, { title: 'Pause' }) },
      async handle(scope, { params }) {
        const sequence = await find(scope, sequences, sequenceIdOf(params));
        const { args, body } = await findShownProgram(scope, sequence);
        const tree = sequenceTree({ ...args }, body);
        const text = programText(tree.root, { title: sequence.name, names: await findRecordNames(scope, tree) });
        return new Reply(text, 'text/plain; charset=utf-8');
      },
    },
  ];
}
