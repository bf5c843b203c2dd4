import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Each worker compiles the schemas of most routes, which answer few requests: in small pieces, without optimizing them. */
const quickly = { inlineRefs: false, validateSchema: false, code: { optimize: false } } as const;
const ajv = new Ajv.default({ strict: false, allErrors: false, addUsedSchema: false, ...quickly });
addFormats.default(ajv);

type Validator = ReturnType<typeof ajv.compile>;

const validators = new WeakMap<object, Validator>();
/** By their JSON: every app of a test file makes schemas of its own, and compiling takes milliseconds. */
const compiled = new Map<string, Validator>();
const definitions = new Set<string>();

/** Returns the schema without names, and without `$defs`, which are compiled once for all schemas. */
function withoutDefinitions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefinitions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key === '$id') return [];
      if (key !== '$defs') return [[key, withoutDefinitions(inner)]];
      for (const [name, definition] of Object.entries(inner as Record<string, object>))
        if (!definitions.has(name)) {
          definitions.add(name);
          ajv.addSchema(definition);
        }
      return [];
    }),
  );
}

/** Returns the reason why a value violates a schema, or null. */
export function schemaProblem(schema: object, value: unknown): string | null {
  let validate = validators.get(schema);
  if (!validate) {
    const own = withoutDefinitions(schema) as object;
    const json = JSON.stringify(own);
    validate = compiled.get(json) ?? ajv.compile(own);
    compiled.set(json, validate);
    validators.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** The validators of each document, by the JSON of their schemas. */
const documents = new WeakMap<object, { readonly own: Ajv.default; readonly known: Map<string, Validator> }>();

/** Returns the reason why a value violates a schema of an OpenAPI document, or null. */
export function documentProblem(
  document: { readonly components: object },
  schema: object,
  value: unknown,
): string | null {
  let found = documents.get(document);
  if (!found) {
    found = { own: new Ajv.default({ strict: false, allErrors: false }), known: new Map() };
    addFormats.default(found.own);
    found.own.addSchema(JSON.parse(inFile({ components: document.components })), file);
    documents.set(document, found);
  }
  const { own, known } = found;
  const json = inFile(schema);
  const validate = known.get(json) ?? own.compile(JSON.parse(json));
  known.set(json, validate);
  return validate(value) ? null : own.errorsText(validate.errors);
}

const file = 'openapi.json';

/** Returns JSON whose references are to the file. */
const inFile = (value: object): string => JSON.stringify(value).replaceAll('"$ref":"#/', `"$ref":"${file}#/`);
