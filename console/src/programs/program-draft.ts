import type { InputOf, RecordOf } from '../data/collections.ts';
import { createNode, type ProgramNode } from './node.ts';
import { keyed, nodesIn, type Step } from './steps.ts';
import { declarationsOf } from './variables.ts';

export type Program = RecordOf<'sequences'>;
export type Color = Program['color'];

/** The editable part of a program. */
export interface ProgramDraft {
  readonly name: string;
  readonly description: string;
  readonly color: Color;
  readonly variables: readonly ProgramNode[];
  readonly steps: readonly Step[];
}

/** The fields of a draft as the server stores them. */
type ProgramContent = Pick<InputOf<'sequences'>, 'name' | 'args' | 'body'> & {
  readonly description: string;
  readonly color: Color;
};

/** A record's program as trees, whose kinds this page reads from the corpus and not from types. */
export const stepsOf = ({ body }: Pick<Program, 'body'>): readonly ProgramNode[] =>
  body as unknown as readonly ProgramNode[];

export const draftOf = (program: Program): ProgramDraft => ({
  name: program.name,
  description: program.description ?? '',
  color: program.color,
  variables: declarationsOf(program.args),
  steps: keyed(stepsOf(program)),
});

export const contentOf = ({ name, description, color, variables, steps }: ProgramDraft): ProgramContent => ({
  name,
  description,
  color,
  args: { locals: createNode('scope_declaration', {}, variables) } as unknown as NonNullable<ProgramContent['args']>,
  body: nodesIn(steps) as unknown as ProgramContent['body'],
});

const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The same text for drafts that would be stored alike. */
export const fingerprint = (draft: ProgramDraft): string => JSON.stringify(contentOf(draft), sortedKeys);

/** The request body that stores a draft: an installed program whose steps or variables change is no longer that of its publisher. */
export function changeOf(program: Program, draft: ProgramDraft): ProgramContent & { readonly forked?: boolean } {
  const before = draftOf(program);
  const isSameProgram =
    fingerprint({ ...draft, name: '', description: '', color: 'gray' }) ===
    fingerprint({ ...before, name: '', description: '', color: 'gray' });
  const content = contentOf(draft);
  return program.sequence_version_id === null || isSameProgram ? content : { ...content, forked: true };
}

/** What was stored, with the keys of the steps that were sent. */
export function storedDraft(program: Program, sent: ProgramDraft): ProgramDraft {
  const stored = draftOf(program);
  return {
    ...stored,
    steps: stored.steps.map((step, index) => ({ ...step, key: sent.steps[index]?.key ?? step.key })),
  };
}
