import { expect } from 'vitest';
import type { Account, TestApp } from './app.ts';

/** Returns the requests of an account: `call` returns the response, `ok` the JSON of one that succeeds. */
export function callsOf({ call: send }: Pick<TestApp, 'call'>, { token }: Pick<Account, 'token'>) {
  const call = (method: string, path: string, body?: unknown) =>
    send(method, path, { token, ...(body !== undefined && { body }) });
  const ok = async (method: string, path: string, body?: unknown) => {
    const { status, json, text } = await call(method, path, body);
    expect(status, `${method} ${path} ${text}`).toBe(200);
    return json;
  };
  return { call, ok };
}
