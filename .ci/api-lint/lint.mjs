// Checks the API's description, which it reads from standard input, by the recommended rules of Redocly, and by those of Spectral
// for OpenAPI, which also checks examples by their schemas.
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import core from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const source = await text(process.stdin);
const config = await createConfig({ extends: ['recommended'] });
const ofRedocly = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const spectral = new core.Spectral();
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const ofSpectral = await spectral.run(JSON.parse(source));
for (const { ruleId, message, location } of ofRedocly)
  console.error(`${location[0]?.pointer}: ${message} (Redocly: ${ruleId})`);
for (const { code, message, path } of ofSpectral) console.error(`${path.join('.')}: ${message} (Spectral: ${code})`);
console.log(`Redocly: ${ofRedocly.length} problems. Spectral: ${ofSpectral.length} problems.`);
process.exitCode = ofRedocly.length + ofSpectral.length > 0 ? 1 : 0;
