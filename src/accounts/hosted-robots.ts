import { randomUUID } from 'node:crypto';

const prefix = 'hosted-';

/** Returns the id (`jti`) of a new token of a robot that the server itself runs. */
export const newHostedJti = (): string => `${prefix}${randomUUID()}`;

/** Whether a token is of a robot that the server itself runs. */
export const isHostedRobot = (jti: string): boolean => jti.startsWith(prefix);
