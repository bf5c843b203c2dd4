import { afterAll, beforeAll, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

describeEngines('the commands for operators while the server runs', (engine) => {
  const server = suiteServer(engine, { MQTT_PORT: anyPort, EMAIL_VERIFICATION: 'off' });
  let account: Awaited<ReturnType<typeof signUp>>;
  let listener: MqttTestClient;

  beforeAll(async () => {
    account = await signUp({ client: server.client, outbox: null }, 'ada');
    listener = await MqttTestClient.connect(server.mqtt, { username: account.bot, password: account.token });
    await listener.subscribe(['public_broadcast', `bot/${account.bot}/sync/#`]);
  });
  afterAll(async () => {
    await listener.end();
  });

  it('release: robots are offered added releases, but no removed ones', async () => {
    const release = (...words: string[]) => server.run(['release', ...words]);
    const offered = () => server.client.get('/api/releases?platform=rpi4', account.token);
    const image = 'https://images.example/a.fw';
    const added = await release('add', 'v15.4.6', '--platform', 'rpi4', '--image', image);
    expect(added).toMatchObject({ code: 0, output: 'Release 1 (15.4.6, rpi4, stable) is offered now.\n' });
    expect((await offered()).json).toMatchObject({ version: '15.4.6', image_url: image, dot_img_url: null });
    const again = await release('add', '15.4.6', '--platform', 'rpi4', '--image', image);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('already') });
    const wrong = await release('add', '15.4.7-rc1', '--platform', 'rpi9', '--image', 'x', '--img', 'y');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.output).toMatch(/^platform: .+\nimage_url: .+\ndot_img_url: .+\n$/m);
    const candidate = await release('add', '15.4.7-rc1', '--platform', 'rpi4', '--image', image);
    expect(candidate).toMatchObject({ code: 1, output: expect.stringMatching(/^channel: /) });
    expect((await release('list')).stdout).toMatch(
      /^id\t.+\n1\tstable\trpi4\t15\.4\.6\tyes\t\S+Z\thttps:\/\/images\.example\/a\.fw\t\n$/,
    );
    expect(await release('remove', '1')).toMatchObject({
      code: 0,
      output: 'Removed release 1 (15.4.6, rpi4, stable).\n',
    });
    expect(await release('remove', '1')).toMatchObject({ code: 1, output: 'There is no release 1.\n' });
    expect((await offered()).status).toBe(404);
  });

  it('job: names failed jobs, and runs them again', async () => {
    const job = (...words: string[]) => server.run(['job', ...words]);
    expect(await job('list')).toMatchObject({ code: 0, stdout: 'id\tkind\tdevice\tattempts\tfailed\terror\n' });
    expect(await job('retry', '77')).toMatchObject({ code: 1, output: 'There is no failed job 77.\n' });
    expect(await job('retry')).toMatchObject({ code: 2, output: 'Give the id of a job, or --all.\n' });
    expect(await job('retry', '--all')).toMatchObject({ code: 0, output: 'The server will run 0 jobs again.\n' });
  });

  it('bulletin: users are notified immediately', async () => {
    const bulletin = (...words: string[]) => server.run(['bulletin', ...words]);
    const texts = [
      '--title',
      'Good news',
      '--content',
      'It rained.',
      '--href',
      '/app/farmware',
      '--href-label',
      'Look',
    ];
    expect(await bulletin('add', '--to', 'all', ...texts)).toMatchObject({
      code: 0,
      output: 'Created bulletin good-news; 1 robot got an alert.\n',
    });
    const alert = () => listener.received.find(({ topic }) => topic.includes('/sync/Alert/'));
    await listener.waitUntil(() => alert() !== undefined, 'the alert');
    expect(JSON.parse(alert()?.text ?? '')).toMatchObject({
      args: { label: 'NONE' },
      body: { problem_tag: 'api.bulletin.unread', priority: 99, slug: 'good-news' },
    });
    expect((await server.client.get('/api/global_bulletins/good-news')).json).toMatchObject({
      type: 'info',
      href: '/app/farmware',
    });
    expect(await bulletin('add', '--to', account.email, ...texts)).toMatchObject({
      output: 'Bulletin good-news already exists; 0 robots without an alert got one.\n',
    });
    const nobody = await bulletin('add', '--to', 'nobody@example.com', '--title', 'Other', '--content', 'x');
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(await bulletin('add', '--to', 'all', ...texts, '--type', 'loud')).toMatchObject({ code: 2, stdout: '' });
    expect((await bulletin('list')).stdout).toMatch(/^slug\t.+\ngood-news\tinfo\t1\t\S+Z\tGood news\n$/);
    listener.take();
    expect(await bulletin('remove', 'good-news')).toMatchObject({
      code: 0,
      output: 'Removed bulletin good-news, which 1 robot had not read.\n',
    });
    await listener.waitUntil(() => alert() !== undefined, 'the end of the alert');
    expect(JSON.parse(alert()?.text ?? '')).toEqual({ args: { label: 'NONE' }, body: null });
    expect(await bulletin('remove', 'good-news')).toMatchObject({ code: 1, stdout: '' });
  });

  it('announce-reload: connected users get a message', async () => {
    listener.take();
    expect(await server.run(['announce-reload', '--commit', '0123456789abcdef'])).toMatchObject({
      code: 0,
      output: 'The server will ask users to reload the web app (build 01234567).\n',
    });
    expect(await listener.first('public_broadcast')).toMatchObject({
      text: '{"type":"reload","commit":"01234567"}',
      retain: false,
    });
    listener.take();
    expect(await server.run(['announce-reload', '--commit', 'a b'])).toMatchObject({ code: 1, stdout: '' });
    const { json } = await server.client.get('/api/global_config');
    const { SHORT_REVISION } = json as { SHORT_REVISION: string };
    expect(await server.run(['announce-reload'])).toMatchObject({
      code: 0,
      output: expect.stringContaining(SHORT_REVISION),
    });
    const { text } = await listener.first('public_broadcast');
    expect(JSON.parse(text)).toEqual({ type: 'reload', commit: SHORT_REVISION });
  });
});
