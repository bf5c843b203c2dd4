import { expect, it } from 'vitest';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { demoWebcamReply } from './demo-webcam.ts';

describeEngines('the webcam picture of a demo garden', (engine) => {
  const server = suiteApp(engine);

  it('is served for every kind of robot, also without the web app', async () => {
    for (const name of ['Genesis', 'Genesis_XL', 'Express', 'Express_XL']) {
      const type = name.startsWith('Express') ? 'JPG' : 'jpg';
      const path = `/app-resources/img/demo_accounts/${name}_Demo_Webcam.${type}`;
      const { status, headers, text } = await server.call('GET', path);
      expect([status, headers['content-type']], path).toEqual([200, 'image/svg+xml']);
      expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]+<\/svg>\n$/);
      expect(text).not.toMatch(/NaN|undefined|script/);
    }
  });

  it('is at the URL of the seeded feed', async () => {
    const { token } = await server.signUp();
    const body = { product_line: 'genesis_1.8', demo: true };
    expect((await server.call('POST', '/api/device/seed', { token, body })).status).toBe(200);
    await server.app.runJobs();
    const [feed] = (await server.call('GET', '/api/webcam_feeds', { token })).json;
    expect((await server.call('GET', feed.url)).headers['content-type']).toBe('image/svg+xml');
  });

  it('is served at no other URL', () => {
    for (const path of ['app-resources/img/demo_accounts/Other.jpg', 'Genesis_Demo_Webcam.jpg', 'app-resources/img'])
      expect(demoWebcamReply(path)).toBeNull();
  });
});
