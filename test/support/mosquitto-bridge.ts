import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startProgram } from './started-program.ts';

/** A running mosquitto with a bridge. */
export interface MosquittoBridge {
  /** Where its own clients connect. */
  readonly url: string;
  /** Its log so far. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts Debian's mosquitto with a bridge to a broker, and the lines of its configuration. */
export async function startBridge(
  broker: string,
  { bot, token }: { readonly bot: string; readonly token: string },
  ...lines: readonly string[]
): Promise<MosquittoBridge> {
  const folder = await mkdtemp(join(tmpdir(), 'potager-bridge-'));
  const port = await freePort();
  const configuration = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'connection potager',
    `address ${new URL(broker).host}`,
    `remote_username ${bot}`,
    `remote_password ${token}`,
    ...lines,
  ];
  await writeFile(join(folder, 'mosquitto.conf'), `${configuration.join('\n')}\n`);
  let log = '';
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? '' } };
  const program = startProgram('/usr/sbin/mosquitto', ['-v', '-c', 'mosquitto.conf'], options, (part) => {
    log += part;
  });
  return {
    url: `mqtt://127.0.0.1:${port}`,
    log: () => log,
    stop: async () => {
      const ended = new Promise((resolve) => program.once('close', resolve));
      program.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
