import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { send } from '../data/api.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useSchemas } from '../data/schemas.ts';
import { type Corpus, Grammar } from './grammar.ts';
import type { ProgramNode } from './node.ts';
import type { Problem } from './problem-places.ts';
import type { RecordNames } from './summary.ts';

const corpusQuery = queryOptions({ queryKey: ['corpus'], queryFn: () => send<Corpus>('GET', '/api/corpus') });

/** Returns the rules of the command language. Suspends. */
export function useGrammar(): Grammar {
  const corpus = useSuspenseQuery(corpusQuery).data;
  const schemas = useSchemas();
  return useMemo(() => new Grammar(corpus, schemas), [corpus, schemas]);
}

/** The records that programs can name. */
export type ProgramRecords = ReturnType<typeof useProgramRecords>;

/** Returns the records that programs can name. Suspends. */
export function useProgramRecords() {
  const programs = useRecords('sequences');
  const tools = useRecords('tools');
  const points = useRecords('points');
  const groups = useRecords('point_groups');
  const peripherals = useRecords('peripherals');
  const sensors = useRecords('sensors');
  return useMemo(
    () => ({ programs, tools, points, groups, peripherals, sensors }),
    [programs, tools, points, groups, peripherals, sensors],
  );
}

/** The label of a point: its name and place. */
export const pointWords = ({ name, x, y }: RecordOf<'points'>): string =>
  `${name} (${Math.round(x)}, ${Math.round(y)})`;

const namesIn = (records: readonly { readonly id: number; readonly name: string | null }[]) => {
  const names = new Map(records.map(({ id, name }) => [id, name ?? '']));
  return (id: number): string | undefined => names.get(id);
};

/** Returns the names of records. */
export function useRecordNames({ programs, tools, points, groups, peripherals, sensors }: ProgramRecords): RecordNames {
  return useMemo(() => {
    const places = new Map(points.map((point) => [point.id, pointWords(point)]));
    return {
      program: namesIn(programs),
      tool: namesIn(tools),
      point: (id) => places.get(id),
      group: namesIn(groups),
      peripheral: namesIn(peripherals.map(({ id, label }) => ({ id, name: label }))),
      sensor: namesIn(sensors.map(({ id, label }) => ({ id, name: label }))),
    };
  }, [programs, tools, points, groups, peripherals, sensors]);
}

/** The data for the forms of steps. */
export interface EditorContextValue {
  readonly grammar: Grammar;
  readonly records: ProgramRecords;
  readonly names: RecordNames;
  /** The variables of the program. */
  readonly declarations: readonly ProgramNode[];
  readonly isDisabled: boolean;
}

export const EditorContext = createContext<EditorContextValue | null>(null);

/** Returns the data for the forms of steps. Throws outside of an editor. */
export function useEditor(): EditorContextValue {
  const value = useContext(EditorContext);
  if (!value) throw new Error('outside of an editor');
  return value;
}

/** Of every form for a node. */
export interface NodeFormProps {
  readonly node: ProgramNode;
  /** `mark` names the field that is typed in: its edits are undone together. */
  readonly onChange: (node: ProgramNode, mark: string | null) => void;
  readonly problems: readonly Problem[];
  /** The purpose of the node: the name of its one field, where it has one. */
  readonly label?: string;
  /** The names of the variables that fit; all of them where this is left out. */
  readonly variables?: readonly string[];
}
