import type { InputOf, RecordOf } from '../data/collections.ts';
import type { components } from '../data/generated/api.ts';
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

export const draftOf = (program: Program): ProgramDraft => ({
  name: program.name,
  description: program.description ?? '',
  color: program.color,
  variables: declarationsOf(program.args),
  steps: keyed(program.body),
});

/** The variables and steps of a draft as the server stores them, which checks their kinds: this page has the kinds of the corpus. */
export const storedProgram = ({ variables, steps }: Pick<ProgramDraft, 'variables' | 'steps'>) => ({
  args: { locals: createNode('scope_declaration', {}, variables) as components['schemas']['ScopeDeclaration'] },
  body: nodesIn(steps) as ProgramContent['body'],
});

export const contentOf = ({ name, description, color, ...program }: ProgramDraft): ProgramContent => ({
  name,
  description,
  color,
  ...storedProgram(program),
});

const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The same text for drafts that would be stored alike. */
export const fingerprint = (draft: ProgramDraft): string => JSON.stringify(contentOf(draft), sortedKeys);

/** The request body that stores a draft: an installed program whose steps or variables change is no longer its publisher's. */
export function changeOf(program: Program, draft: ProgramDraft): ProgramContent & { readonly forked?: boolean } {
  const before = draftOf(program);
  const isSameProgram =
    fingerprint({ ...draft, name: '', description: '', color: 'gray' }) ===
    fingerprint({ ...before, name: '', description: '', color: 'gray' });
  const content = contentOf(draft);
  return program.sequence_version_id === null || isSameProgram ? content : { ...content, forked: true };
}

/** The stored program, with the keys of the sent steps. */
export function storedDraft(program: Program, sent: ProgramDraft): ProgramDraft {
  const stored = draftOf(program);
  return {
    ...stored,
    steps: stored.steps.map((step, index) => ({ ...step, key: sent.steps[index]?.key ?? step.key })),
  };
}
