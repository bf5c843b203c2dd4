/** A problem as the check of a program reports it; `path` is a JSON pointer into `args` and `body`. */
export interface Problem {
  readonly path: string;
  readonly code: string;
  /** In Lua, from 1. */
  readonly line?: number;
  readonly message: string;
}

/** The problems of a program by the places that show them. `path` of each begins at the step or the variable. */
export interface ProblemPlaces {
  /** By the index of the step. */
  readonly steps: ReadonlyMap<number, readonly Problem[]>;
  /** By the index of the declaration. */
  readonly variables: ReadonlyMap<number, readonly Problem[]>;
  /** Of the program as a whole. */
  readonly others: readonly Problem[];
}

const stepPath = /^\/body\/(\d+)(\/.*)?$/;
const variablePath = /^\/args\/locals\/body\/(\d+)(\/.*)?$/;

export function locateProblems(problems: readonly Problem[]): ProblemPlaces {
  const steps = new Map<number, Problem[]>();
  const variables = new Map<number, Problem[]>();
  const others: Problem[] = [];
  const add = (map: Map<number, Problem[]>, [, index, rest = '']: RegExpExecArray, problem: Problem): void => {
    const list = map.get(Number(index)) ?? [];
    list.push({ ...problem, path: rest });
    map.set(Number(index), list);
  };
  for (const problem of problems) {
    const step = stepPath.exec(problem.path);
    const variable = variablePath.exec(problem.path);
    if (step) add(steps, step, problem);
    else if (variable) add(variables, variable, problem);
    else others.push(problem);
  }
  return { steps, variables, others };
}

/** The problems in a part of a node, such as `/args/location`, with paths that begin there. */
export const problemsBelow = (problems: readonly Problem[], path: string): readonly Problem[] =>
  problems.flatMap((problem) =>
    problem.path === path || problem.path.startsWith(`${path}/`)
      ? [{ ...problem, path: problem.path.slice(path.length) }]
      : [],
  );

/** The sentences about a value itself, not about parts of it; undefined if there are none. */
export function sentenceAt(problems: readonly Problem[]): string | undefined {
  const own = problems.filter(({ path }) => path === '' || path === '/kind' || path === '/args');
  return own.length > 0 ? own.map(({ message }) => message).join(' ') : undefined;
}
