import { sequences } from '../../src/programs/sequences.ts';
import type { Account, TestApp } from './app.ts';

let count = 0;

/** Stores an empty sequence of the account and returns its id. */
export async function createSequence(server: TestApp, { deviceId }: Pick<Account, 'deviceId'>): Promise<number> {
  const args = { version: 20180209, locals: { kind: 'scope_declaration', args: {} } };
  const name = `Stored sequence ${++count}`;
  const row = { name, color: 'gray' as const, pinned: false, forked: false, args, body: [] };
  return (await server.app.server().device(deviceId).insert(sequences, row)).id;
}
