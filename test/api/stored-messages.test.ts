import { expect, it } from 'vitest';
import { languageHeader } from '../../src/core/languages.ts';
import { virtualRobots } from '../../src/simulator/virtual-robot-rows.ts';
import { insertDeliveries, webhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

describeEngines('stored sentences', (engine) => {
  const app = suiteApp(engine);
  const account = suiteAccount(app);
  const garden = () => app.app.server().device(account.deviceId);

  const read = async (path: string, language?: string) => {
    const headers: Record<string, string> = language === undefined ? {} : { [languageHeader]: language };
    return (await app.call('GET', path, { token: account.token, headers })).json;
  };

  it('have the reason for a failed delivery in each language', async () => {
    const { token } = account;
    const body = { url: 'https://receiver.example/', resources: [], active: false };
    const { id } = (await app.call('POST', '/api/webhooks', { token, body })).json;
    const errors = [
      'the host name was not found (ENOTFOUND)',
      'the address responded with 503',
      'of an earlier version',
    ];
    const rows = await insertDeliveries(
      garden(),
      id,
      errors.map(() => ({ type: 'test', content: {} })),
      'failed',
    );
    for (const [index, error] of errors.entries())
      await garden().update(webhookDeliveries, { error }, { where: { id: rows[index]?.id ?? 0 } });
    const shown = async (language?: string) =>
      (await read(`/api/webhooks/${id}/deliveries`, language)).map(({ error }: { error: string }) => error).reverse();
    expect(await shown()).toEqual(errors);
    expect(await shown('en')).toEqual([
      'The host name was not found (ENOTFOUND).',
      'The address responded with 503.',
      'of an earlier version',
    ]);
    expect(await shown('fr')).toEqual([
      'Le nom d’hôte est introuvable (ENOTFOUND).',
      'L’adresse a répondu avec 503.',
      'of an earlier version',
    ]);
  });

  it('are not confirmed by the entity tag of another language', async () => {
    const { token } = account;
    const [{ id }] = (await app.call('GET', '/api/webhooks', { token })).json;
    const get = (headers: Record<string, string>) =>
      app.call('GET', `/api/webhooks/${id}/deliveries`, { token, headers });
    const tags = [];
    for (const language of ['', 'en', 'fr']) tags.push((await get({ [languageHeader]: language })).headers.etag);
    expect(new Set(tags).size).toBe(3);
    for (const [index, tag] of tags.entries()) {
      const statuses = [];
      for (const language of ['', 'en', 'fr'])
        statuses.push((await get({ [languageHeader]: language, 'if-none-match': String(tag) })).status);
      expect(statuses).toEqual([200, 200, 200].with(index, 304));
    }
  });

  it('have the reason for a virtual robot’s end in each language', async () => {
    const started_at = '2026-01-01T00:00:00.000Z';
    const robot = { user_id: account.userId, is_running: false, is_demo: false, started_at, x: 0, y: 0, z: 0 };
    await garden().insert(virtualRobots, robot);
    const reasons = [
      ['It was idle for 15 minutes.', 'Il n’a rien eu à faire pendant 15 minutes.'],
      ['The robot was powered off.', 'Le robot a été éteint.'],
    ];
    for (const [ended_because = '', french] of reasons) {
      await garden().update(virtualRobots, { ended_because }, { where: { user_id: account.userId } });
      expect((await read('/api/virtual_robot')).ended_because).toBe(ended_because);
      expect((await read('/api/virtual_robot', 'fr')).ended_because).toBe(french);
    }
  });
});
