import type { TextDropItem } from 'react-aria-components';
import { parseSteps, stepsText } from './clipboard.ts';
import type { ProgramNode } from './node.ts';

/** The type of dragged steps. */
export const stepType = 'application/x-potager-step';
/** Of one step that runs a program: it can be dropped into a branch. */
export const callType = 'application/x-potager-call';

/** The dragged data, by type. */
type DragItem = Readonly<Record<string, string>>;

/** A step as it is dragged; elsewhere it is dropped as text. `key`: the key of a step of the program. */
export const dragItem = (node: ProgramNode, key = ''): DragItem => ({
  [stepType]: stepsText([node]),
  'text/plain': stepsText([node]),
  ...(node.kind === 'execute' ? { [callType]: key } : {}),
});

interface Dropped {
  readonly kind: string;
}

const isText = (item: Dropped): item is TextDropItem => item.kind === 'text';

/** Reads the dropped steps. */
export async function droppedSteps(items: readonly Dropped[]): Promise<readonly ProgramNode[]> {
  const texts = await Promise.all(
    items.filter(isText).map((item) => (item.types.has(stepType) ? item.getText(stepType) : '')),
  );
  return texts.flatMap((text) => parseSteps(text) ?? []);
}

/** The key of the dropped step that runs a program; the empty text if it comes from the palette. */
export async function droppedCall(items: readonly Dropped[]): Promise<string | null> {
  const [item] = items.filter(isText);
  return item?.types.has(callType) ? item.getText(callType) : null;
}
