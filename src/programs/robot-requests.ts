import { invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import { externalTable } from '../db/table.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { say } from './messages.ts';
import { robotRequestSchema } from './node-schemas.ts';
import { checkBody } from './program-store.ts';
import type { Node } from './tree.ts';
import { requestTree } from './tree.ts';

/** Maximum size of a request to a robot, in bytes: robots and brokers limit messages. */
const maxRequestSize = 64 * 1024;

/** The schema of programs that a robot can be asked to run. */
export const commandSchema: JsonSchema = Type.Union(
  [
    robotRequestSchema,
    Type.Object(
      {
        sequence_id: idSchema,
        parameters: Type.Optional(
          Type.Record(Type.Union([Type.Ref('Node'), Type.Number(), Type.String()]), {
            description: 'Values of its variables by name: nodes, or numbers and texts.',
          }),
        ),
      },
      { $id: 'SequenceCommand', description: 'Runs a sequence.' },
    ),
  ],
  { description: 'A step, an `rpc_request` with several steps, or a sequence with values of its variables.' },
);

/** Returns the value of a variable as a node. */
function valueNode(value: unknown): unknown {
  if (typeof value === 'number') return { kind: 'numeric', args: { number: value } };
  return typeof value === 'string' ? { kind: 'text', args: { string: value } } : value;
}

/** Returns the steps of a command, unchecked. Throws 422 under `program`. */
function stepsOf(program: unknown): readonly unknown[] {
  if (!isObject(program)) throw invalid({ program: say.noProgram });
  if (program.kind === 'rpc_request' && Array.isArray(program.body)) return program.body;
  if (program.kind !== undefined) return [program];
  const { sequence_id, parameters = {} } = program;
  if (typeof sequence_id !== 'number') throw invalid({ program: say.noProgram });
  if (!isObject(parameters)) throw invalid({ program: say.noParameters });
  const body = Object.entries(parameters).map(([label, value]) => ({
    kind: 'parameter_application',
    args: { label, data_value: valueNode(value) },
  }));
  return [{ kind: 'execute', args: { sequence_id }, body }];
}

/** Returns a request to the robot as JSON, after checking its program and that the records in it are the device's own. Throws 422 under `program`. */
export async function robotRequest(scope: DeviceScope, program: unknown, label: string): Promise<string> {
  const steps = stepsOf(program);
  if (steps.length === 0) throw invalid({ program: say.noSteps });
  const tree = requestTree(label, steps);
  await checkBody(scope, tree, null, 'program');
  const text = JSON.stringify(await withBoard(scope, tree.root));
  if (Buffer.byteLength(text) > maxRequestSize) throw invalid({ program: say.largeRequest(maxRequestSize / 1024) });
  return text;
}

/** A view of the table of another room. */
const fbosConfigs = externalTable('fbos_configs', { firmware_hardware: column.text().nullable() });

/** Returns a request whose steps that flash the board name it: robots know no `arduino_firmware`, which is what programs name. Throws 422 under `program` if the garden's board is not chosen. [rule R34] */
async function withBoard(scope: DeviceScope, request: Node): Promise<Node> {
  const flashes = ({ kind, args }: Node): boolean => kind === 'flash_firmware' && args.package === 'arduino_firmware';
  if (!request.body?.some(flashes)) return request;
  const board = (await scope.first(fbosConfigs))?.firmware_hardware;
  if (!board) throw invalid({ program: say.noBoard });
  return {
    ...request,
    body: request.body.map((step) => (flashes(step) ? { ...step, args: { ...step.args, package: board } } : step)),
  };
}
