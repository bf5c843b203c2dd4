import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { scriptsIn, shellBlocks, Terminal } from '../../support/pasted-blocks.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

const page = 'docs/following-changes.md';

describe('the script of the page about the broker', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  it('follows a garden with paho of Debian, and ends when its token is refused', async () => {
    const script = scriptsIn(page, 'python').get('follow.py') ?? expect.unreachable('no script');
    const command = shellBlocks(page).find((block) => block.includes('follow.py')) ?? expect.unreachable('no command');
    await writeFile(join(server.folder, 'follow.py'), script.replace('1883', new URL(server.mqtt).port));
    // Debian's Python has Debian's packages.
    const open = (token: string) =>
      new Terminal({ folder: server.folder, env: { PATH: `/usr/bin:${process.env.PATH}`, TOKEN: token } });
    const { bot, token } = await signUp({ client: server.client, outbox: null }, 'ada');
    expect(bot).toBe('device_1');
    const robot = await MqttTestClient.connect(server.mqtt, { username: bot, password: token });
    const [follower, refused] = [open(token), open('x')];
    try {
      let changes = 0;
      const change = async () => {
        await server.client.post('/api/tools', { name: `Hoe ${++changes}` }, token);
        await robot.publish('bot/device_1/logs', JSON.stringify({ type: 'info', message: `Log ${changes}` }));
        return follower.printed;
      };
      follower.start(command, /never/).catch(() => undefined);
      // It does not report its subscription.
      await expect.poll(change).toMatch(/^bot\/device_1\/sync\/Tool\/\d+ \{'args': .*'name': 'Hoe \d+'/m);
      await expect.poll(change).toMatch(/^bot\/device_1\/logs \{.*'message': 'Log \d+'/m);
      await expect(refused.paste(command)).rejects.toThrow('The broker refuses the connection: ');
    } finally {
      await robot.end();
      for (const terminal of [follower, refused]) await terminal.close();
    }
  });
});
