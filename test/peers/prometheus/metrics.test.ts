import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { startServer } from '../../support/servers.ts';

/** Returns the complaints of Debian's `promtool` about metrics. */
const complaints = (metrics: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const tool = execFile('promtool', ['check', 'metrics'], (error, stdout, stderr) =>
      error && typeof error.code === 'string' ? reject(error) : resolve(stdout + stderr),
    );
    tool.stdin?.end(metrics);
  });

it('promtool has no complaint about the metrics', async () => {
  expect(await complaints('# TYPE jobs_total gauge\njobs_total 1\n')).toContain('jobs_total');
  const server = await startServer('sqlite', { METRICS: 'on' });
  try {
    // Each kind of request has its own labels.
    await server.client.get('/api/users');
    const { text } = await server.client.get('/metrics');
    for (const name of ['potager_jobs', 'potager_http_requests_total', 'nodejs_active_handles'])
      expect(text).toMatch(new RegExp(`^${name}\\{`, 'm'));
    expect(await complaints(text)).toBe('');
  } finally {
    await server.remove();
  }
});
