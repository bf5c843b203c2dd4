// Checks the API's description, which it reads from standard input, by the rules of Spectral for OpenAPI. Examples and their
// schemas are among what it checks.
import { json } from 'node:stream/consumers';
import core from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const spectral = new core.Spectral();
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const problems = await spectral.run(await json(process.stdin));
for (const { code, message, path } of problems) console.error(`${path.join('.')}: ${message} (${code})`);
console.log(`Spectral: ${problems.length} problems`);
if (problems.length > 0) process.exit(1);
