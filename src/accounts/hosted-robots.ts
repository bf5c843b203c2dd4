import { randomUUID } from 'node:crypto';
import type { Rights, Role } from '../engine/rights.ts';
import { hasRole } from '../engine/rights.ts';
import { scopeNames } from '../engine/tags.ts';

const prefix = 'hosted-';

/** Returns the id (`jti`) of a new token of a robot that the server itself runs. */
export const newHostedJti = (): string => `${prefix}${randomUUID()}`;

/** Whether a token is of a robot that the server itself runs. */
export const isHostedRobot = (jti: string): boolean => jti.startsWith(prefix);

const gardenScopes = new Set(scopeNames.filter((name) => name !== 'account' && name !== 'admin'));

/** Returns the rights of such a token: those of a gardener at most, because the authors of its programs can read it. [ADR 68] */
export const hostedRights = (role: Role): Rights => ({
  role: hasRole(role, 'gardener') ? 'gardener' : role,
  scopes: gardenScopes,
});
