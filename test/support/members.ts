import { expect } from 'vitest';
import type { Account, TestApp, TestResponse } from './app.ts';

/** Returns a function that sends requests to a server as an account. */
export const caller =
  (server: TestApp) =>
  ({ token }: { readonly token: string }, method: string, path: string, body?: unknown): Promise<TestResponse> =>
    server.call(method, path, { token, ...(body !== undefined && { body }) });

/** Invites an account, and has it accept; returns its session of the garden. */
export async function join(server: TestApp, owner: Account, guest: Account, role: string): Promise<Account> {
  const call = caller(server);
  const invited = await call(owner, 'POST', '/api/invitations', { email: guest.email, role });
  expect(invited.status, invited.text).toBe(200);
  const token = String(invited.json.link).split('/').pop();
  const accepted = await call(guest, 'POST', '/api/invitations/accept', { token });
  expect(accepted.status, accepted.text).toBe(200);
  return { ...guest, token: accepted.json.token.encoded, deviceId: owner.deviceId };
}
