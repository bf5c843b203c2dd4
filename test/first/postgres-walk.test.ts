import { expect, it } from 'vitest';
import { startApp } from '../support/app.ts';

// All other tests on PostgreSQL are in `npm run test:postgres`.

it('on PostgreSQL, a tool, a plant and a sensor are created, changed, read, deleted and brought back', async () => {
  const server = await startApp('postgres');
  try {
    const { token } = await server.signUp();
    const send = async (method: string, path: string, body?: object) => {
      const { status, json, text } = await server.call(method, `/api${path}`, { token, body });
      expect([method, path, status], text).toEqual([method, path, 200]);
      return json;
    };
    const tool = await send('POST', '/tools', { name: 'Trowel' });
    const plant = await send('POST', '/points', { pointer_type: 'Plant', name: 'Tomato', x: 100, y: 200, z: 0 });
    const sensor = await send('POST', '/sensors', { label: 'Soil', pin: 59, mode: 1 });
    await send('PATCH', `/points/${plant.id}`, { name: 'Cherry tomato' });
    expect(await send('GET', `/points/${plant.id}`)).toMatchObject({ name: 'Cherry tomato', x: 100, y: 200 });
    expect(await send('GET', '/sensors')).toEqual([sensor]);
    await send('DELETE', `/tools/${tool.id}`);
    expect(await send('GET', '/tools')).toEqual([]);
    const [deletion] = await send('GET', `/history?resource=Tool&record_id=${tool.id}&limit=1`);
    await send('POST', `/history/${deletion.id}/revert`, {});
    expect(await send('GET', '/tools')).toMatchObject([{ id: tool.id, name: 'Trowel' }]);
  } finally {
    await server.close();
  }
});
