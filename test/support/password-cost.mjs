// Preloaded into servers: they hash passwords at the cost of password-cost.ts. Node.js 20 cannot import that file.
import { createRequire } from 'node:module';

const argon2 = createRequire(import.meta.url)('@node-rs/argon2');
const { hash } = argon2;
argon2.hash = (password, cost) => hash(password, { ...cost, memoryCost: 8, timeCost: 1, parallelism: 1 });
