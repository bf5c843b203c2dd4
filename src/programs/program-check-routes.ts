import Type from 'typebox';
import type { DeviceScope } from '../db/scope.ts';
import { find } from '../engine/records.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import type { Problem, ProblemCode } from './problem.ts';
import { maxProblems } from './problem.ts';
import type { ProgramInput } from './program-document.ts';
import { readProgram } from './program-document.ts';
import type { Owner } from './program-store.ts';
import { findProgramProblems } from './program-store.ts';
import { programText } from './program-text.ts';
import { findRecordNames } from './record-names.ts';
import { inputFields } from './sequence-changes.ts';
import { stepLimitFailure } from './sequence-limits.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequenceIdOf } from './sequence-routes.ts';
import { sequences } from './sequences.ts';
import { sequenceTree } from './tree.ts';

/** What a client is told of a program. */
interface ProgramCheck {
  readonly ok: boolean;
  readonly problems: readonly { readonly path: string; readonly code: ProblemCode; readonly message: string }[];
}

const sent = Type.Object(
  {
    args: Type.Optional(Type.Union([Type.Object({}), Type.Null()], { description: 'Its variables: `locals`.' })),
    body: Type.Optional(Type.Array(Type.Object({}), { description: 'The steps.' })),
  },
  { title: 'Program' },
);

const checkSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'The program could be stored.' }),
    problems: Type.Array(
      Type.Object(
        {
          path: Type.String({
            description: 'Where: a JSON pointer into `args` and `body`, as `/body/2/args/location`.',
          }),
          code: Type.String({
            description: 'What kind of problem it is, for programs: `missing_argument`, `not_found`, …',
          }),
          message: Type.String({ description: 'A sentence for people.' }),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: maxProblems,
        description: 'In the order in which storing would find them. The first would be its answer.',
      },
    ),
  },
  { $id: 'ProgramCheck', title: 'Program check', additionalProperties: false },
);

const told = (problems: readonly Problem[]): ProgramCheck => ({
  ok: problems.length === 0,
  problems: problems.slice(0, maxProblems).map(({ path, code, message }) => ({ path, code, message })),
});

/** Everything that would keep a program from being stored. `owner` null: it would be a new one. `before`: how many steps it has. */
async function checked(scope: DeviceScope, read: ProgramInput, owner: Owner | null, before = 0): Promise<ProgramCheck> {
  if (!('tree' in read)) return told(read.problems);
  const problems = await findProgramProblems(scope, read.tree, owner);
  const { step_count: limit } = await stepLimitFailure(scope, read.steps, before);
  const tooMany: Problem[] =
    typeof limit === 'string' ? [{ class: 'structure', code: 'too_large', path: '/body', message: limit }] : [];
  return told([...problems, ...tooMany]);
}

/** Checking and reading programs, for editors and for people. Additions of ours. */
export function programCheckRoutes(): DeviceRoute[] {
  const common = { access: 'token', tag: 'sequences', addition: true } as const;
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/check',
      summary: 'Check a program without storing it: all its problems at once',
      body: { rule: 'object', schema: sent },
      replies: { 200: checkSchema },
      transaction: false,
      async handle(scope, call) {
        const { args, body } = inputFields(objectBody(call));
        return checked(scope, readProgram(args, body), null);
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/sequences/:id/check',
      summary: 'Check a stored program, or a change to it, without storing anything',
      body: { rule: 'optional', schema: sent },
      replies: { 200: checkSchema },
      transaction: false,
      async handle(scope, call) {
        const sequence = await find(scope, sequences, sequenceIdOf(call.params));
        const shown = await findShownProgram(scope, sequence);
        const { args, body } = inputFields(objectBody(call));
        // As in a change: a body without `args` declares nothing, `args` without a body keep the steps.
        const read = body === undefined ? readProgram(args ?? shown.args, shown.body) : readProgram(args, body);
        return checked(scope, read, { kind: 'Sequence', id: sequence.id }, shown.body.length);
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/sequences/:id/text',
      summary: 'Read a program as text',
      replies: { 200: 'text' },
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
