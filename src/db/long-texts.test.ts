import { expect, it } from 'vitest';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { logs } from '../device/logs.ts';
import { list } from '../engine/records.ts';

describeEngines('texts above 64 KiB', (engine) => {
  const server = suiteApp(engine);

  it('are sent in lists as they are, as bytes, and read as text from columns', async () => {
    const { deviceId, token } = await server.signUp();
    const scope = server.app.server().device(deviceId);
    const messages = ['é"\n'.repeat(30_000), '🌱'.repeat(20_000), 'short'];
    await scope.insertAll(
      logs,
      messages.map((message) => ({ message, type: 'info' as const, verbosity: 1, channels: [] })),
    );
    const rows = await scope.rows(logs);
    expect(rows.map(({ message }) => message)).toEqual(messages);
    const listed = (await server.call('GET', '/api/logs', { token })).json as { message: string }[];
    expect(listed.map(({ message }) => message)).toEqual(messages.toReversed());
    const short = { where: { message: 'short' } };
    expect([await list(scope, logs, null), await list(scope, logs, null, short)].map(Buffer.isBuffer)).toEqual([
      true,
      false,
    ]);
  });
});
