import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem, idSchema, Problem } from '../engine/kinds.ts';
import { languageVersion } from './corpus-args.ts';
import { bodyNodesSchema, localsSchema } from './node-schemas.ts';

/** Returns the kind of a JSON list or object; the checker validates its content. */
function jsonKind<T extends object>(isList: boolean, output: JsonSchema, input = output): Kind<T> {
  const isValid = (value: unknown): value is T =>
    typeof value === 'object' && value !== null && Array.isArray(value) === isList;
  const parse = (value: unknown, name: string) =>
    isValid(value) ? value : fieldProblem(name, isList ? sayOfField.list : sayOfField.object);
  return { column: 'json', parse, cast: parse, output, input };
}

/** Returns the kind of a list of nodes: the body of a root of this kind. */
export const nodesKind = (root: 'sequence' | 'internal_regimen' | 'internal_farm_event'): Kind<object[]> =>
  jsonKind(true, bodyNodesSchema(root));

export const idsKind: Kind<readonly number[]> = jsonKind(true, Type.Array(idSchema));

/** The arguments of a stored sequence; in requests either may be absent. */
export interface SequenceArgs {
  readonly version: number;
  readonly locals: object;
}

/** The arguments of a new sequence. [rule P19] */
export const emptyArgs: SequenceArgs = { version: languageVersion, locals: { kind: 'scope_declaration', args: {} } };

const objectKind = jsonKind<SequenceArgs>(
  false,
  Type.Object({ version: Type.Literal(languageVersion), locals: localsSchema }),
  Type.Object({ version: Type.Optional(Type.Literal(languageVersion)), locals: Type.Optional(localsSchema) }),
);

/** Checks only that `args` and its `locals` are objects; the checker reports everything else. [rule P23] */
function parseArgs(value: unknown, name: string): SequenceArgs | Problem {
  const args = objectKind.parse(value, name);
  if (args instanceof Problem) return args;
  const locals = args.locals ?? null;
  if (typeof locals === 'object' && !Array.isArray(locals)) return args;
  return new Problem({ locals: sayOfField.object(labelOf('locals')) });
}

export const argsKind: Kind<SequenceArgs> = { ...objectKind, parse: parseArgs };
