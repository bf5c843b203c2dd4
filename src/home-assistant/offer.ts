import type { gardenUsers } from './garden-users.ts';

/** The users with which Home Assistant connects to the built-in broker, one for each garden. [ADR 100] */
export type GardenUsers = ReturnType<typeof gardenUsers>;
