import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { languageVersion, valueNames } from './corpus-args.ts';
import { argRules, grammar, listedArgs, listedEnums, listedKinds, valuesOf } from './grammar.ts';

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the language as clients read it, in published order. [rule P2] */
function corpus(): object {
  const listed = new Set<string>(listedKinds);
  return {
    version: languageVersion,
    enums: listedEnums.map((name) => ({ name, allowed_values: valuesOf(name) })),
    values: valueNames.map((name) => ({ name })),
    args: listedArgs.map((name) => ({
      name,
      allowed_values: (argRules.get(name)?.takes ?? []).map((tag) => ({
        tag,
        name: argRules.get(name)?.plain.has(tag) ? capitalised(tag) : tag,
      })),
    })),
    nodes: listedKinds.map((name) => {
      const rule = grammar.get(name);
      return {
        allowed_args: [...(rule?.args.keys() ?? [])],
        allowed_body_types: [...(rule?.body ?? [])].filter((kind) => listed.has(kind)),
        name,
        tags: (rule?.row.tags ?? '').split(' ').filter((tag) => tag !== ''),
        docs: rule?.row.docs ?? '',
      };
    }),
  };
}

const strict = { additionalProperties: false };
const named = Type.Object({ name: Type.String() }, strict);

const schema = Type.Object(
  {
    version: Type.Integer(),
    enums: Type.Array(
      Type.Object(
        { name: Type.String(), allowed_values: Type.Array(Type.Union([Type.String(), Type.Integer()])) },
        strict,
      ),
    ),
    values: Type.Array(named),
    args: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          allowed_values: Type.Array(Type.Object({ tag: Type.String(), name: Type.String() }, strict)),
        },
        strict,
      ),
    ),
    nodes: Type.Array(
      Type.Object(
        {
          allowed_args: Type.Array(Type.String()),
          allowed_body_types: Type.Array(Type.String()),
          name: Type.String(),
          tags: Type.Array(Type.String()),
          docs: Type.String(),
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'Corpus' },
);

const answer = jsonReply(JSON.stringify(corpus()));

/** `GET /api/corpus`: the command language as data. [rule P2] */
export const showCorpus: PublicRoute = {
  access: 'public',
  tag: 'corpus',
  method: 'GET',
  path: '/api/corpus',
  summary: 'Show the command language: kinds of nodes, their arguments, allowed values',
  replies: { 200: schema },
  acceptsAnyVersion: true,
  handle: () => answer,
};
