import { isObject } from '../../core/json.ts';
import type { DeviceScope } from '../../db/scope.ts';
import { assertValid, parseBody } from '../../engine/body.ts';
import { untagged } from '../../engine/entity-tag.ts';
import { failureSchema, fieldFailuresSchema } from '../../engine/failure-schemas.ts';
import { labelOf } from '../../engine/field-label.ts';
import { sayOfField } from '../../engine/field-messages.ts';
import { integer } from '../../engine/fields.ts';
import type { JsonSchema } from '../../engine/json-schema.ts';
import { Type } from '../../engine/json-schema.ts';
import { timeSchema } from '../../engine/kinds.ts';
import { objectBody } from '../../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../../engine/route.ts';
import type { CommandResult, Emergency, RobotCommands } from './robot-commands.ts';
import type { RobotDirectory } from './robot-directory.ts';
import { robotStatusSchema } from './robot-status.ts';

/** In seconds. */
const [defaultWait, maxWait] = [30, 120];

const fields = { wait: integer().default(defaultWait).range(1, maxWait) };

const resultSchema = Type.Object(
  {
    status: Type.OneOf(['ok', 'error', 'timeout', 'offline'], {
      description:
        '`ok` and `error`: what the robot responded. `timeout`: it has not responded in time, and may still run the program. `offline`: no robot is connected, and nothing was sent.',
    }),
    explanation: Type.Nullable(Type.String({ description: 'A sentence; null with `ok`.' })),
  },
  { $id: 'CommandResult', examples: [{ status: 'ok', explanation: null }] },
);

const robotSchema = Type.Object(
  {
    connected: Type.Boolean(),
    connected_since: Type.Nullable(timeSchema),
    status: Type.Nullable(robotStatusSchema),
  },
  { $id: 'Robot' },
);

const commandBody = (program: JsonSchema): JsonSchema =>
  Type.Object(
    {
      program,
      wait: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxWait,
          description: `How long to wait for the response, in seconds; ${defaultWait} by default.`,
        }),
      ),
    },
    {
      $id: 'Command',
      examples: [{ program: { kind: 'move_relative', args: { x: 100, y: 0, z: 0, speed: 100 } }, wait: 60 }],
    },
  );

/** Returns a signal that is aborted when the client disconnects. */
function signalOf({ responseSent }: Call): AbortSignal {
  const controller = new AbortController();
  void responseSent.then(() => controller.abort());
  return controller.signal;
}

/** The routes for the device's robot. `program`: the schema of programs that it can be asked to run. */
export function robotRoutes(commands: RobotCommands, directory: RobotDirectory, program: JsonSchema): DeviceRoute[] {
  const common = { access: 'token', tag: 'Control', addition: true, transaction: false } as const;
  const replies = { 200: resultSchema, 503: failureSchema } as const;
  const emergency = (path: string, kind: Emergency, summary: string, description: string): DeviceRoute => ({
    ...common,
    method: 'POST',
    path,
    summary,
    description: `${description} Waits for at most ten seconds for the response. No rate limit applies.`,
    rateLimit: 'none',
    replies,
    handle: (scope: DeviceScope, call: Call): Promise<CommandResult> =>
      commands.sendEmergency(scope, kind, signalOf(call)),
  });
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/robot',
      summary: 'See whether the robot is connected, and its last status',
      description:
        'Returns since when a robot is connected to the message broker, and the last status that it has published since the server was started: position, pins, whether it is busy or locked, and versions.',
      replies: { 200: robotSchema },
      untagged: untagged.momentary,
      handle: ({ deviceId }) => directory.state(deviceId),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/commands',
      summary: 'Have the robot run a step or a sequence now, and wait for its response',
      description:
        'Checks the program, sends it to the robot as a request, and returns what the robot responded. The records that it names must exist. Whatever the robot responds, the status of the reply is 200.',
      body: { rule: 'object', schema: commandBody(program) },
      replies: { ...replies, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const body = objectBody(call);
        const parsed = parseBody(fields, body, 'create');
        assertValid(parsed, isObject(body.program) ? {} : { program: sayOfField.object(labelOf('program')) });
        const { wait = defaultWait } = parsed.values as { readonly wait?: number };
        return commands.send(scope, body.program, { wait, signal: signalOf(call) });
      },
    },
    emergency(
      '/api/robot/emergency_stop',
      'emergency_lock',
      'Stop the robot at once and lock it',
      'Stops all motors and pins, and locks the robot until it is unlocked. The request is sent even if no robot seems to be connected.',
    ),
    emergency(
      '/api/robot/unlock',
      'emergency_unlock',
      'Unlock the robot after an emergency stop',
      'Unlocks the robot.',
    ),
  ];
}
