import type { JsonSchema, SchemaProperties } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import type { NodeKind } from './corpus.ts';
import type { ArgRule, KindRule } from './grammar.ts';
import { argRules, camelCase, grammar, isKind, maxTextLength, valuesOf } from './grammar.ts';
import { targets } from './targets.ts';
import { maxNodes } from './tree.ts';

/** Returns the name of a kind's schema. Kinds that are named like a resource have a suffix. */
const schemaName = (kind: NodeKind): string =>
  Object.hasOwn(targets, `${kind}s`) ? `${camelCase(kind)}Node` : camelCase(kind);

const oneOfKinds = (kinds: Iterable<string>): JsonSchema =>
  Type.Discriminated('kind', new Map([...kinds].filter(isKind).map((kind) => [kind, schemaName(kind)])));

/** Values of variables: where one of them is accepted, a variable with that value is accepted, too. [rule P8] */
const variableKinds: ReadonlySet<string> = argRules.get('data_value')?.kinds ?? new Set();

/** Returns the kinds that an argument accepts; placeholders are accepted as defaults only. */
function kindsOf({ kinds }: ArgRule, parent: NodeKind): ReadonlySet<string> {
  const accepted = [...kinds].filter(
    (kind) => parent === 'parameter_declaration' || grammar.get(kind)?.row.rule !== 'only as default',
  );
  return new Set(accepted.some((kind) => variableKinds.has(kind)) ? [...accepted, 'identifier'] : accepted);
}

function plainSchemas({ row, plain, enumName }: ArgRule): JsonSchema[] {
  const { allowedList, length, max, record } = row;
  const schemas: JsonSchema[] = enumName ? [Type.OneOf(valuesOf(enumName))] : [];
  if (plain.has('string') && allowedList) schemas.push(Type.OneOf(valuesOf(allowedList)));
  else if (plain.has('string'))
    // The quotes count, too.
    schemas.push(
      Type.String(length ? { minLength: length[0], maxLength: length[1] } : { maxLength: maxTextLength - 2 }),
    );
  if (plain.has('float')) schemas.push(Type.Number());
  else if (plain.has('integer')) {
    const minimum = typeof record === 'string' ? 1 : Number.MIN_SAFE_INTEGER;
    schemas.push(Type.Integer({ minimum, maximum: max ?? Number.MAX_SAFE_INTEGER }));
  }
  if (plain.has('boolean')) schemas.push(Type.Boolean());
  return schemas;
}

function argSchema(rule: ArgRule, parent: NodeKind): JsonSchema {
  const kinds = kindsOf(rule, parent);
  const [first = {}, ...others] = [...plainSchemas(rule), ...(kinds.size > 0 ? [oneOfKinds(kinds)] : [])];
  return others.length > 0 ? Type.Union([first, ...others]) : first;
}

function nodeSchema({ kind, row, args, body }: KindRule): JsonSchema {
  const ownArgs: SchemaProperties = Object.fromEntries(
    [...args.values()].map((arg) => [arg.name, argSchema(arg, kind)]),
  );
  const items = kind === 'sequence' ? Type.Ref('Step') : oneOfKinds(body);
  return Type.Object(
    {
      kind: Type.Literal(kind),
      args: Type.Object(ownArgs),
      ...(body.size > 0 && { body: Type.Optional(Type.Array(items)) }),
      comment: Type.Optional(Type.String()),
    },
    { $id: schemaName(kind), description: row.about },
  );
}

const isStored = (kind: string): boolean => grammar.get(kind)?.row.rule !== 'never stored';

/** The schemas of all nodes that are sent, and their unions, by name. */
const definitions: JsonSchema = (() => {
  // The internal kinds are roots that are never sent.
  const rules = [...grammar.values()].filter(({ kind }) => !kind.startsWith('internal_'));
  const steps = [...(grammar.get('sequence')?.body ?? [])].filter(isStored);
  const schemas = [
    { ...oneOfKinds(rules.map(({ kind }) => kind)), $id: 'Node', description: 'A node of any kind.' },
    { ...oneOfKinds(steps), $id: 'Step', description: 'A step of a sequence.' },
    ...rules.map(nodeSchema),
  ];
  return Object.fromEntries(schemas.map((schema) => [String(schema.$id), schema]));
})();

/** Returns the schema of the nodes in the body of a kind. */
export const bodyNodesSchema = (parent: NodeKind): JsonSchema => ({
  ...Type.Array(parent === 'sequence' ? Type.Ref('Step') : oneOfKinds(grammar.get(parent)?.body ?? []), {
    maxItems: maxNodes,
  }),
  $defs: definitions,
});

/** The schema of nodes of any kind, not only of storable ones. */
export const anyNodesSchema: JsonSchema = {
  ...Type.Array(Type.Ref('Node'), { maxItems: maxNodes }),
  $defs: definitions,
};

/** The schema of one step, or of a request to a robot with several. */
export const robotRequestSchema: JsonSchema = {
  ...Type.Union([Type.Ref('Step'), Type.Ref(schemaName('rpc_request'))]),
  $defs: definitions,
};

/** The schema of the variables of a sequence. */
export const localsSchema: JsonSchema = { ...Type.Ref(schemaName('scope_declaration')), $defs: definitions };
