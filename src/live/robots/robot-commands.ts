import { randomUUID } from 'node:crypto';
import { Failure } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { verbatim } from '../../core/message.ts';
import type { DeviceScope } from '../../db/scope.ts';
import type { ProgramsOffer } from '../../programs/offer.ts';
import type { Quotas } from '../../quotas/quotas.ts';
import type { Broker } from '../broker.ts';
import { maxMessageSize } from '../ingestion/robot-message.ts';
import { say } from '../messages.ts';
import { deviceTopic } from '../topics.ts';
import { sayOfResponse } from './response-messages.ts';
import type { RobotDirectory } from './robot-directory.ts';
import type { RobotMessage } from './robot-messages.ts';

/** Maximum length of an explanation, in characters. */
const maxExplanationLength = 1000;
/** Emergency stops and unlocks of a device that wait at the same time. Further ones are sent, but not waited for. */
const maxWaitingEmergencies = 10;
/** How long these wait, in seconds. */
const emergencyWait = 10;

/** The result of a command. */
export interface CommandResult {
  /** `timeout`: the robot may still run the program. */
  readonly status: 'ok' | 'error' | 'timeout' | 'offline';
  /** A sentence; null if the robot succeeded. */
  readonly explanation: Message | null;
}

/** Commands that every robot runs immediately, whatever it is doing. */
export type Emergency = 'emergency_lock' | 'emergency_unlock';

/** The options of sending a command. */
export interface CommandOptions {
  /** Maximum time for the response of the robot, in seconds. */
  readonly wait: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

export interface RobotCommandOptions {
  readonly directory: RobotDirectory;
  /** Returns null without a broker. */
  readonly broker: () => Broker | null;
  readonly programs: ProgramsOffer;
  readonly quotas: Quotas;
}

type Settle = (result: CommandResult) => void;

const offline: CommandResult = { status: 'offline', explanation: sayOfResponse.noRobot };

/** Sends requests to robots over the broker, and waits for their responses. */
export class RobotCommands {
  readonly #options: RobotCommandOptions;
  /** The commands that wait for a response, by device and label. */
  readonly #waiting = new Map<number, Map<string, Settle>>();
  readonly #emergencies = new Map<number, number>();

  constructor(options: RobotCommandOptions) {
    this.#options = options;
  }

  /** Has the device's robot run a program, and waits for its response. Throws 422 for an invalid program or too many waiting commands, 503 while the broker is unavailable. */
  async send(scope: DeviceScope, program: unknown, options: CommandOptions): Promise<CommandResult> {
    const label = `command_${randomUUID()}`;
    const request = await this.#options.programs.robotRequest(scope, program, label);
    if (this.#options.directory.connectedSince(scope.deviceId) === null) return offline;
    return this.#options.quotas.hold(scope, 'commands_in_flight', () =>
      this.#exchange(scope.deviceId, request, label, options),
    );
  }

  /** Stops or unlocks the device's robot: sent in any case, because the server may not know that it is connected. Throws 503 while the broker is unavailable. */
  async sendEmergency({ deviceId }: DeviceScope, kind: Emergency, signal?: AbortSignal): Promise<CommandResult> {
    const label = `${kind}_${randomUUID()}`;
    const args = { label, priority: 9000 };
    const request = JSON.stringify({ kind: 'rpc_request', args, body: [{ kind, args: {} }] });
    const waiting = this.#emergencies.get(deviceId) ?? 0;
    const isOffline = this.#options.directory.connectedSince(deviceId) === null;
    const wait = isOffline || waiting >= maxWaitingEmergencies ? 0 : emergencyWait;
    this.#emergencies.set(deviceId, waiting + 1);
    try {
      const result = await this.#exchange(deviceId, request, label, { wait, ...(signal && { signal }) });
      return isOffline ? offline : result;
    } finally {
      const left = (this.#emergencies.get(deviceId) ?? 1) - 1;
      if (left > 0) this.#emergencies.set(deviceId, left);
      else this.#emergencies.delete(deviceId);
    }
  }

  /** Takes a response of a robot. */
  receive({ deviceId, channel, payload }: RobotMessage): void {
    const waiting = channel === 'from_device' ? this.#waiting.get(deviceId) : undefined;
    if (!waiting || payload.length > maxMessageSize) return;
    const response = parseResponse(payload);
    if (response) waiting.get(response.label)?.(response.result);
  }

  /** Ends all waits. */
  stop(): void {
    const result: CommandResult = { status: 'timeout', explanation: say.stopping };
    for (const waiting of this.#waiting.values()) for (const settle of [...waiting.values()]) settle(result);
  }

  async #exchange(
    deviceId: number,
    payload: string,
    label: string,
    { wait, signal }: CommandOptions,
  ): Promise<CommandResult> {
    const broker = this.#options.broker();
    if (!broker) return offline;
    const { ok, message } = broker.status();
    // A command must not wait for the broker: the robot would move unexpectedly.
    if (!ok) throw new Failure('unavailable', message);
    const waiting = this.#waiting.get(deviceId) ?? new Map<string, Settle>();
    this.#waiting.set(deviceId, waiting);
    const ended = new AbortController();
    const end = () => ended.abort();
    let timer: NodeJS.Timeout | undefined;
    signal?.addEventListener('abort', end);
    try {
      return await new Promise<CommandResult>((resolve, reject) => {
        waiting.set(label, resolve);
        ended.signal.addEventListener('abort', () =>
          resolve({ status: 'timeout', explanation: sayOfResponse.silentRobot(wait) }),
        );
        timer = setTimeout(end, wait * 1000);
        broker.publish({ topic: deviceTopic(deviceId, 'from_clients'), payload }, ended.signal).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      end();
      waiting.delete(label);
      if (waiting.size === 0) this.#waiting.delete(deviceId);
    }
  }
}

/** Parses a response; null for any other message. */
function parseResponse(payload: Buffer): { readonly label: string; readonly result: CommandResult } | null {
  let message: unknown;
  try {
    message = JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(message) || !isObject(message.args) || typeof message.args.label !== 'string') return null;
  const { label } = message.args;
  if (message.kind === 'rpc_ok') return { label, result: { status: 'ok', explanation: null } };
  if (message.kind !== 'rpc_error') return null;
  return { label, result: { status: 'error', explanation: explanationIn(message.body) } };
}

/** Returns the explanations of an `rpc_error`. */
function explanationIn(body: unknown): Message {
  const sentences = (Array.isArray(body) ? body : []).flatMap((node) => {
    const text = isObject(node) && isObject(node.args) ? node.args.message : undefined;
    return typeof text === 'string' ? [text] : [];
  });
  const text = sentences.join(' ').slice(0, maxExplanationLength).toWellFormed();
  return text === '' ? sayOfResponse.unexplained : verbatim(text);
}
