import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Route } from '../../src/engine/route.ts';

const ajv = new Ajv.default({ strict: false, allErrors: false, addUsedSchema: false });
addFormats.default(ajv);

const validators = new WeakMap<object, ReturnType<typeof ajv.compile>>();

/** Statuses that any route may answer with, as `{error}` or by field. */
const failures = new Set([400, 401, 403, 404, 409, 413, 414, 422, 426, 429, 451, 503]);

/** Throws when a reply is not what its route declares: undeclared status, wrong type, or a body outside its schema. */
export function guardReply(route: Route, status: number, type: string, text: string): void {
  const declared = route.replies[status];
  const where = `${route.method} ${route.path} ${status}`;
  if (declared === undefined) {
    if (failures.has(status)) return;
    throw new Error(`${where} is not declared: ${text.slice(0, 200)}`);
  }
  if (declared === 'empty') {
    if (text !== '') throw new Error(`${where} should be empty: ${text.slice(0, 200)}`);
    return;
  }
  if (declared === 'text' || declared === 'html') return;
  if (!type.startsWith('application/json')) throw new Error(`${where} should be JSON, not ${type}`);
  let validate = validators.get(declared);
  if (!validate) {
    validate = ajv.compile(declared);
    validators.set(declared, validate);
  }
  if (!validate(JSON.parse(text)))
    throw new Error(`${where} is outside its schema: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 400)}`);
}
