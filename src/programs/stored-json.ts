import Type from 'typebox';
import type { Kind } from '../engine/kinds.ts';
import { fieldProblem } from '../engine/kinds.ts';

/** A command-language tree or list as it is stored; the checker judges it before it gets here. */
export function jsonKind<T extends object>(isList: boolean): Kind<T> {
  const isRight = (value: unknown): value is T =>
    typeof value === 'object' && value !== null && Array.isArray(value) === isList;
  const parse = (value: unknown, name: string) =>
    isRight(value) ? value : fieldProblem(name, isList ? 'must be a list' : 'must be an object');
  const schema = isList ? Type.Array(Type.Object({})) : Type.Object({});
  return { column: 'json', parse, cast: parse, output: schema, input: schema };
}
