// The TypeScript types of an OpenAPI document, by openapi-typescript. It needs the programming interface of TypeScript 5, which
// version 7 does not have: @ts-morph/common contains a copy of it, which its import of `typescript` is resolved to.
import { register } from 'node:module';

const substitute = `data:text/javascript,${encodeURIComponent(
  `import { ts } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default ts;`,
)}`;
const hooks = `export const resolve = (name, context, next) =>
  name === 'typescript' && context.parentURL?.includes('/node_modules/openapi-typescript/')
    ? { url: ${JSON.stringify(substitute)}, shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const { astToString, default: openapiTS } = await import('openapi-typescript');

/**
 * Returns the source of a module with the types `paths`, `components` and `operations`. Throws for an invalid document.
 * @param {object} document
 * @returns {Promise<string>}
 */
export const apiTypes = async (document) =>
  astToString(await openapiTS(structuredClone(document), { rootTypes: false, alphabetize: false, silent: true }));

//   node scripts/api-types.mjs <document.json >types.d.ts
if (process.argv[1] === import.meta.filename) {
  const { json } = await import('node:stream/consumers');
  process.stdout.write(await apiTypes(await json(process.stdin)));
}
