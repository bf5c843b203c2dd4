import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import type { Json } from '../support/json.ts';
import { startServer } from '../support/servers.ts';

describeEngines('the built server, used by a script', (engine) => {
  it('shows a plant that is created, deleted and brought back in the stream and in a signed webhook', async () => {
    const server = await startServer(engine, { EMAIL_VERIFICATION: 'off', FETCH_ALLOW: '127.0.0.1' });
    const posted: { readonly body: string; readonly headers: Record<string, string> }[] = [];
    const receiver = createServer(async (request, response) => {
      posted.push({ body: await text(request), headers: request.headers as Record<string, string> });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    let reader: EventReader | null = null;
    try {
      const send = async (method: string, path: string, token: string | null, body?: Json) => {
        // Without this header it would count as a request of a robot.
        const headers = { 'user-agent': 'script' };
        const options = { headers, ...(token && { token }), ...(body && { body }) };
        const response = await server.client.send(method, path, options);
        expect([method, path, response.status], response.text).toEqual([method, path, 200]);
        // biome-ignore lint/suspicious/noExplicitAny: a script accesses answers of any shape
        return response.text === '' ? null : (response.json as any);
      };
      const [email, password] = ['ada@example.com', 'a-long-password'];
      await send('POST', '/api/users', null, { name: 'Ada', email, password, password_confirmation: password });
      const session: string = (await send('POST', '/api/tokens', null, { user: { email, password } })).token.encoded;
      const { token } = await send('POST', '/api/personal_tokens', session, { name: 'Script', scopes: ['garden'] });
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const { secret } = await send('POST', '/api/webhooks', session, { url, resources: ['Point'] });
      const stream = await EventReader.open(`${server.base}/api/events?resources=Point`, token);
      reader = stream;

      const plant = { pointer_type: 'Plant', name: 'Tomato', x: 100, y: 200, z: 0 };
      const { id } = await send('POST', '/api/points', token, plant);
      await send('DELETE', `/api/points/${id}`, token);
      const [deletion] = await send('GET', `/api/history?resource=Point&record_id=${id}&limit=1`, token);
      await send('POST', `/api/history/${deletion.id}/revert`, token, {});
      expect(await send('GET', `/api/points/${id}`, token)).toMatchObject(plant);

      const actor = { kind: 'user', name: 'Ada', via: 'Script' };
      const record = { id, name: 'Tomato' };
      const changes = [
        { action: 'created', resource: 'Point', id, record, actor },
        { action: 'deleted', resource: 'Point', id, record: null, actor },
        { action: 'created', resource: 'Point', id, record, actor },
      ];
      await expect.poll(() => stream.events.map(({ data }) => data)).toMatchObject(changes);
      const verified = () => posted.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
      await expect.poll(verified).toMatchObject(changes.map((data) => ({ type: `Point.${data.action}`, data })));
    } finally {
      reader?.source.close();
      receiver.close();
      await server.remove();
    }
  });
});
