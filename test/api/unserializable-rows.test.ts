import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import type { DeviceScope } from '../../src/db/scope.ts';
import { logs } from '../../src/device/logs.ts';
import { list, show } from '../../src/engine/records.ts';
import { tools } from '../../src/garden/tools.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { plainTool } from '../support/plain-tool.ts';

// A row that cannot be serialized is an error: it is neither omitted from lists nor shown as null.

describeEngines('a row that cannot be serialized', (engine) => {
  const server = suiteApp(engine);
  let scope: DeviceScope;
  beforeAll(async () => {
    scope = server.app.server().device((await server.signUp()).deviceId);
  });

  /** Stores a row that violates its declaration, as no request can; returns readers of it. */
  async function corruptRow(): Promise<{ id: number; name: string; list: () => unknown; show: () => unknown }> {
    if (engine === 'sqlite') {
      const log = { message: 'x', type: 'info', verbosity: 1, created_at: 'never' } as const;
      const { id } = await scope.insert(logs, { ...log, channels: [] });
      return { id, name: 'logs', list: () => list(scope, logs), show: () => show(scope, logs, id) };
    }
    const { id } = await scope.insert(tools, plainTool('Broken'));
    const client = new pg.Client({ connectionString: server.settings.DATABASE_URL ?? '' });
    await client.connect();
    await client.query('alter table tools alter column name drop not null');
    await client.query('update tools set name = null where id = $1', [id]);
    await client.end();
    return { id, name: 'tools', list: () => list(scope, tools), show: () => show(scope, tools, id) };
  }

  it('fails the query with its table and id', async () => {
    await scope.insert(tools, plainTool('Whole'));
    const row = await corruptRow();
    const sentence = `${row.name} ${row.id} cannot be written as JSON`;
    await expect(row.list()).rejects.toThrow(sentence);
    await expect(row.show()).rejects.toThrow(sentence);
  });
});
