import { expect, it } from 'vitest';
import { suiteApp } from '../../test/support/app.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { verbatim } from '../core/message.ts';
import { urlProblem } from '../engine/http-url.ts';
import { Problem } from '../engine/kinds.ts';
import { jobs } from '../jobs/job-rows.ts';
import { manifestJobKind } from './farmware-installations.ts';

describeAnyEngine("the address of a farmware's manifest", () => {
  it.each([
    'http://garden.example/manifest.json',
    'HTTPS://garden.example',
    'https://[2001:db8::1]:8443/a?b=c#d',
    `http://garden.example/${'x'.repeat(1978)}`,
  ])('may be %s', (url) => {
    expect(urlProblem(url, 'url')).toBeNull();
  });

  it.each([
    'x',
    '5',
    'ftp://garden.example/x',
    'javascript:alert(1)',
    'http:garden.example',
    'http://',
    'http:///x',
    'http://exa mple.com/',
    'http://garden.example/a b',
    'http://garden.example:99999/',
  ])('may not be %s', (url) => {
    expect(urlProblem(url, 'url')).toEqual(new Problem(verbatim('Url must be an http or https address.'), 'model'));
  });

  it('is measured in bytes', () => {
    expect(urlProblem(`http://garden.example/${'ü'.repeat(990)}`, 'url')).toEqual(
      new Problem(verbatim('Url is too long (at most 2000 bytes).'), 'model'),
    );
  });
});

describeEngines('the manifest of an installation', (engine) => {
  const server = suiteApp(engine);

  it('is fetched by one job for concurrent requests', async () => {
    const { token, deviceId } = await server.signUp();
    const waiting = async () => {
      const rows = await server.app.server().rows(jobs, { where: { kind: manifestJobKind, device_id: deviceId } });
      return rows.map(({ payload }) => payload.id);
    };
    const install = async (name: string) => {
      // A closed port.
      const body = { url: `http://127.0.0.1:1/${name}` };
      return (await server.call('POST', '/api/farmware_installations', { token, body })).json.id;
    };
    const [one, two] = [await install('one'), await install('two')];
    const refresh = (id: number) => server.call('POST', `/api/farmware_installations/${id}/refresh`, { token });
    const responses = await Promise.all([refresh(one), refresh(one), refresh(two), refresh(one)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await waiting()).toEqual([one, two]);
    await server.app.runJobs();
    expect(await waiting()).toEqual([]);
    await refresh(two);
    expect(await waiting()).toEqual([two]);
  });
});
