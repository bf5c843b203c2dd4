import { capitalized } from '../core/capital-letters.ts';
import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { languageVersion, valueNames } from './corpus-args.ts';
import { argRules, grammar, listedArgs, listedEnums, listedKinds, valuesOf } from './grammar.ts';

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
        name: argRules.get(name)?.plain.has(tag) ? capitalized(tag) : tag,
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

const published = corpus();

/** The first entries of each list. */
const excerpt = Object.fromEntries(
  Object.entries(published).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 1) : value]),
);

const named = Type.Object({ name: Type.String() });

const schema = Type.Object(
  {
    version: Type.Integer(),
    enums: Type.Array(
      Type.Object({ name: Type.String(), allowed_values: Type.Array(Type.Union([Type.String(), Type.Integer()])) }),
    ),
    values: Type.Array(named),
    args: Type.Array(
      Type.Object({
        name: Type.String(),
        allowed_values: Type.Array(Type.Object({ tag: Type.String(), name: Type.String() })),
      }),
    ),
    nodes: Type.Array(
      Type.Object({
        allowed_args: Type.Array(Type.String()),
        allowed_body_types: Type.Array(Type.String()),
        name: Type.String(),
        tags: Type.Array(Type.String()),
        docs: Type.String(),
      }),
    ),
  },
  { $id: 'Corpus', examples: [excerpt] },
);

const response = jsonReply(JSON.stringify(published));

/** `GET /api/corpus`: the command language as data. [rule P2] */
export const showCorpus: PublicRoute = {
  access: 'public',
  tag: 'Programs',
  method: 'GET',
  path: '/api/corpus',
  summary: 'Show the command language: kinds of nodes, their arguments, allowed values',
  description:
    'Returns all kinds of nodes with their arguments, the kinds in their bodies, and lists of allowed values. The schemas `Step` and `Node` are made from the same table.',
  replies: { 200: schema },
  acceptsAnyVersion: true,
  handle: () => response,
};
