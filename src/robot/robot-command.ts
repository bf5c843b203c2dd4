import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../core/clock.ts';
import { type OsVersion, osVersions } from './os-version.ts';
import type { RobotSignIn } from './robot-api.ts';

/** The dependencies of the command. */
export interface RobotCommandHost {
  /** Prompts the user for a password. */
  readonly askPassword: () => Promise<string>;
  /** Writes a line to the standard output. */
  readonly print: (line: string) => void;
}

interface RobotOptions {
  readonly server: string;
  readonly email?: string;
  readonly password?: string;
  readonly token?: string;
  readonly mqttPort?: number;
  readonly websocket?: boolean;
  readonly speed: number;
  readonly telemetry: number;
  readonly os: OsVersion;
}

const numberFrom =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };

function addressFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  return url.origin;
}

/** Adds the command `robot`, and returns it. */
export function addRobotCommand(program: Command, host: RobotCommandHost): Command {
  return program
    .command('robot')
    .description('run a virtual robot, for testing clients, until stopped')
    .option('--server <address>', 'the URL of the server', addressFrom, 'http://localhost:3000')
    .option('--email <email>', 'the account that the robot belongs to')
    .addOption(
      new Option('--password <password>', 'its password; prompted for if omitted').env('POTAGER_ROBOT_PASSWORD'),
    )
    .addOption(new Option('--token <token>', 'a token, instead of e-mail and password').env('POTAGER_ROBOT_TOKEN'))
    .option('--mqtt-port <port>', "the broker's port (default: 1883, or 8883 with TLS)", numberFrom(1, 65_535))
    .option('--websocket', 'connect to the broker via WebSocket')
    .option('--speed <mm/s>', 'its speed at 100 %', numberFrom(1, 100_000), 200)
    .option('--telemetry <seconds>', 'the interval between telemetry messages', numberFrom(1, 86_400), 300)
    .addOption(
      new Option('--os <version>', 'the version of its operating system; 15.4.11 keeps its sessions and its copy')
        .choices(osVersions)
        .default(osVersions[0]),
    )
    .action((options: RobotOptions) => runRobot(options, host));
}

async function credentialsFrom({ email, password, token }: RobotOptions, host: RobotCommandHost): Promise<RobotSignIn> {
  if (email !== undefined) return { email, password: password ?? (await host.askPassword()) };
  if (token !== undefined) return { token };
  throw new Error('Specify the account of the robot: --email or --token.');
}

/** Runs a virtual robot until it ends or is stopped by a signal. Throws if it cannot sign in. */
async function runRobot(options: RobotOptions, host: RobotCommandHost): Promise<void> {
  const credentials = await credentialsFrom(options, host);
  const { VirtualRobot } = await import('./virtual-robot.ts');
  const robot = new VirtualRobot({
    server: options.server,
    credentials,
    log: (line) => host.print(`${new Date(systemClock.now()).toTimeString().slice(0, 8)}  ${line}`),
    speed: options.speed,
    version: options.os,
    telemetryInterval: options.telemetry * 1000,
    port: options.mqttPort,
    webSocket: options.websocket,
  });
  const stop = () => void robot.stop();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const started = robot.start().then(() => robot.ended);
    host.print(await Promise.race([started, robot.ended]));
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    await robot.stop();
  }
}
