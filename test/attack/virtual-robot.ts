import { textAt } from '../support/json.ts';
import type { AttackContext } from './attack-context.ts';
import type { AttackedAccount } from './attacked-server.ts';

/** The virtual robot of an account, which the server runs. */
export interface AttackingRobot {
  /** Runs a script of Lua for at most 15 s, and returns the robot's sentence about its failure; null if it ran to its end. */
  run(script: string): Promise<string | null>;
  stop(): Promise<void>;
}

/** Starts the virtual robot of an account. */
export async function startVirtualRobot(
  { server }: AttackContext,
  { token }: Pick<AttackedAccount, 'token'>,
): Promise<AttackingRobot> {
  const put = async (running: boolean) => {
    const { status, text } = await server.proxy.send('PUT', '/api/virtual_robot', { token, body: { running } });
    if (status !== 200) throw new Error(`The virtual robot: ${status} ${text}`);
  };
  await put(true);
  return {
    async run(script) {
      const program = { kind: 'rpc_request', args: {}, body: [{ kind: 'lua', args: { lua: script } }] };
      const { json } = await server.proxy.send('POST', '/api/commands', { token, body: { program, wait: 60 } });
      return textAt(json, 'status') === 'ok' ? null : textAt(json, 'explanation');
    },
    stop: () => put(false),
  };
}
