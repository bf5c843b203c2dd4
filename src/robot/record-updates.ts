import { objectOf } from '../core/json.ts';
import { resolveVariable } from './locations.ts';
import { sayOfRobot } from './log-messages.ts';
import { integerOf, nodeOf, type RobotNode, StepError, textOf, toPrintable } from './nodes.ts';
import type { StepContext } from './step-context.ts';
import { filledIn } from './templates.ts';

const pointTypes = ['Point', 'Plant', 'Weed', 'ToolSlot', 'GenericPointer'];

interface Target {
  readonly type: string;
  /** Null for the device. */
  readonly id: number | null;
}

function targetOf(node: RobotNode): Target {
  const id = (name: string) => integerOf(node, name, 1, Number.MAX_SAFE_INTEGER);
  if (node.kind === 'point') return { type: textOf(node, 'pointer_type'), id: id('pointer_id') };
  if (node.kind !== 'resource') throw new StepError(`"${toPrintable(node.kind, 40)}" is not a record.`);
  const type = textOf(node, 'resource_type');
  return { type, id: type === 'Device' ? null : id('resource_id') };
}

/** Returns the fields of a point: labels like `meta.color` change one key of `meta`. */
function pointFields(values: ReadonlyMap<string, unknown>, meta: unknown): Record<string, unknown> {
  const inMeta = [...values].filter(([label]) => label.startsWith('meta.'));
  const fields = Object.fromEntries([...values].filter(([label]) => !label.startsWith('meta.')));
  if (inMeta.length === 0) return fields;
  const changes = Object.fromEntries(inMeta.map(([label, value]) => [label.slice('meta.'.length), value]));
  return { ...fields, meta: { ...objectOf(meta), ...changes } };
}

/** Returns the value that a pair sets. An empty text is null; texts in `meta` are no templates. [rule R30] */
function valueIn(pair: RobotNode, context: StepContext): unknown {
  const { value } = pair.args;
  if (typeof value !== 'string' || textOf(pair, 'label').startsWith('meta.')) return value;
  return filledIn(value, context) || null;
}

/** `update_resource`: changes a record of the account, as "Mark as…" does. */
export async function updateResource(step: RobotNode, context: StepContext): Promise<void> {
  const { api, account, garden, actions } = context;
  const { type, id } = targetOf(resolveVariable(nodeOf(step, 'resource'), context));
  const values = new Map(step.body.map((pair) => [textOf(pair, 'label'), valueIn(pair, context)]));
  if (type !== 'Device' && !pointTypes.includes(type))
    throw new StepError(`A record of type "${toPrintable(type, 40)}" cannot be changed.`);
  if (id === null) await api.request('PATCH', '/api/device', Object.fromEntries(values));
  else {
    const { meta } = await garden.record(`/api/points/${id}`, `point ${id}`);
    await account.updatePoint(id, pointFields(values, meta));
  }
  const changes = [...values].map(([label, value]) => `${label} = ${String(value)}`).join(', ');
  actions.log('info', sayOfRobot.changed(id === null ? type : `${type} ${id}`, toPrintable(changes)), { verbosity: 2 });
}
