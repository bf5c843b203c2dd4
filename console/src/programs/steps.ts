import { createNode, isNode, type ProgramNode, withArg } from './node.ts';

/** A step with a key that stays when it moves or changes. */
export interface Step {
  readonly key: string;
  readonly node: ProgramNode;
}

/** The place of new steps: beside another one, or at the end. */
export type Place = { readonly key: string; readonly side: 'before' | 'after' } | 'end';

let lastKey = 0;

/** Gives steps keys that no other step of this tab has. */
export const keyed = (nodes: readonly ProgramNode[]): readonly Step[] =>
  nodes.map((node) => ({ key: `${Date.now().toString(36)}-${++lastKey}`, node }));

export const nodesIn = (steps: readonly Step[]): readonly ProgramNode[] => steps.map(({ node }) => node);

function indexAt(steps: readonly Step[], place: Place): number {
  if (place === 'end') return steps.length;
  const index = steps.findIndex(({ key }) => key === place.key);
  if (index < 0) return steps.length;
  return place.side === 'before' ? index : index + 1;
}

export function insertSteps(steps: readonly Step[], added: readonly Step[], place: Place): readonly Step[] {
  const index = indexAt(steps, place);
  return [...steps.slice(0, index), ...added, ...steps.slice(index)];
}

export const removeSteps = (steps: readonly Step[], keys: ReadonlySet<string>): readonly Step[] =>
  steps.filter(({ key }) => !keys.has(key));

/** Moves steps together to a place, in the order that they have. A place beside a moved step is the place of that step. Returns the same list if they are there already. */
export function moveSteps(steps: readonly Step[], keys: ReadonlySet<string>, place: Place): readonly Step[] {
  const moved = steps.filter(({ key }) => keys.has(key));
  const index = indexAt(steps, place);
  const isStaying = ({ key }: Step): boolean => !keys.has(key);
  const next = [...steps.slice(0, index).filter(isStaying), ...moved, ...steps.slice(index).filter(isStaying)];
  return next.every((step, at) => step === steps[at]) ? steps : next;
}

/** Moves steps by one: over the step before the first of them, or after the last. */
export function shiftSteps(steps: readonly Step[], keys: ReadonlySet<string>, by: -1 | 1): readonly Step[] {
  const indices = steps.flatMap(({ key }, index) => (keys.has(key) ? [index] : []));
  const edge = by < 0 ? Math.min(...indices) : Math.max(...indices);
  const beside = steps[edge + by];
  return beside ? moveSteps(steps, keys, { key: beside.key, side: by < 0 ? 'before' : 'after' }) : steps;
}

export const replaceStep = (steps: readonly Step[], key: string, node: ProgramNode): readonly Step[] =>
  steps.map((step) => (step.key === key ? { key, node } : step));

/** The arguments of a step in which another program can run. */
const branches = ['_then', '_else'] as const;
type Branch = (typeof branches)[number];

/** The branch of a step that an `execute` can be dropped into: the first that does nothing yet. */
export const freeBranch = ({ args }: ProgramNode): Branch | undefined =>
  branches.find((name) => {
    const value = args[name];
    return isNode(value) && value.kind === 'nothing';
  });

/** Returns the nearest steps before and after one that it can be moved into, by index, for a menu: a finger cannot drop it there. */
export function branchesNear(steps: readonly Step[], index: number): readonly number[] {
  if (steps[index]?.node.kind !== 'execute') return [];
  const free = steps.flatMap(({ node }, each) => (each !== index && freeBranch(node) ? [each] : []));
  const [before, after] = [free.filter((each) => each < index).at(-1), free.find((each) => each > index)];
  return [before, after].filter((each) => each !== undefined);
}

/** Moves a step that runs a program into the free branch of another; unchanged where that is impossible. */
export function nestStep(steps: readonly Step[], key: string, into: string): readonly Step[] {
  const inner = steps.find((step) => step.key === key)?.node;
  const outer = steps.find((step) => step.key === into)?.node;
  const branch = outer && freeBranch(outer);
  if (inner?.kind !== 'execute' || !branch || key === into) return steps;
  return replaceStep(removeSteps(steps, new Set([key])), into, withArg(outer, branch, inner));
}

/** Moves the program out of the branches of a step, to the place after it. */
export function unnestStep(steps: readonly Step[], key: string): readonly Step[] {
  const outer = steps.find((step) => step.key === key)?.node;
  if (!outer) return steps;
  const inner = branches.flatMap((name) => {
    const value = outer.args[name];
    return isNode(value) && value.kind === 'execute' ? [{ name, value }] : [];
  });
  const emptied = inner.reduce((node, { name }) => withArg(node, name, createNode('nothing')), outer);
  return insertSteps(replaceStep(steps, key, emptied), keyed(inner.map(({ value }) => value)), { key, side: 'after' });
}
