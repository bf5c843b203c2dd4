import type { RecordOf } from '../data/collections.ts';
import type { Plant, Point } from './points.ts';
import { callsWater } from './watering.ts';

type FarmEvent = Pick<
  RecordOf<'farm_events'>,
  'id' | 'start_time' | 'end_time' | 'executable_type' | 'executable_id' | 'body'
>;
type Regimen = Pick<RecordOf<'regimens'>, 'id' | 'name' | 'body'> & {
  readonly regimen_items: readonly { readonly time_offset: number; readonly sequence_id: number }[];
};
type Sequence = Pick<RecordOf<'sequences'>, 'id' | 'name' | 'body'>;

/** The records that the schedule consists of. */
export interface Schedule {
  readonly events: readonly FarmEvent[];
  readonly sequences: readonly Sequence[];
  readonly regimens: readonly Regimen[];
  readonly groups: readonly { readonly id: number; readonly memberIds: ReadonlySet<number> }[];
}

/** An event of the schedule that is about points. */
export interface Visit {
  readonly event: FarmEvent;
  /** Of the program or regimen. */
  readonly name: string;
}

/** Returns the last moment of an event, in ms; null: it has none. The end of a regimen's event is a minute after its start. */
function endOf({ start_time, end_time }: FarmEvent, regimen: Regimen | undefined): number | null {
  if (!regimen) return end_time === null ? null : Date.parse(end_time);
  // They count from the midnight before the start.
  const offsets = regimen.regimen_items.map(({ time_offset }) => time_offset);
  return start_time === null ? null : Date.parse(start_time) + Math.max(0, ...offsets);
}

interface ProgramNode {
  readonly kind: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const isNode = (value: object): value is ProgramNode => 'kind' in value && 'args' in value;

/** All nodes of steps or of arguments. */
function* nodesIn(value: unknown): Generator<ProgramNode> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const part of Object.values(value)) yield* nodesIn(part);
}

/** The kinds of nodes that run programs or choose points. */
const choosing: readonly string[] = ['execute', 'lua', 'parameter_application'];
/** Such nodes by the steps that contain them: with hundreds of events, each rendering would read all programs again. */
const choosingNodes = new WeakMap<object, readonly ProgramNode[]>();

/** Returns the nodes in steps that run programs or choose points. */
function choosingNodesIn(steps: object): readonly ProgramNode[] {
  const known = choosingNodes.get(steps);
  if (known) return known;
  const nodes = [...nodesIn(steps)].filter(({ kind }) => choosing.includes(kind));
  choosingNodes.set(steps, nodes);
  return nodes;
}

/** Returns these nodes of a program and of the programs that it runs, without the `known` ones. */
function nodesOfProgram(id: unknown, sequences: readonly Sequence[], known: Set<unknown>): readonly ProgramNode[] {
  if (known.has(id)) return [];
  known.add(id);
  return choosingNodesIn(sequences.find((each) => each.id === id)?.body ?? []).flatMap((node) => [
    node,
    ...(node.kind === 'execute' ? nodesOfProgram(node.args.sequence_id, sequences, known) : []),
  ]);
}

type Chosen = Pick<Point, 'id'> & Partial<Pick<Plant, 'plant_stage' | 'water_curve_id'>>;

/** Whether Lua waters all plants, by their curves. */
const watersAll = (lua: string): boolean => callsWater.test(lua) && /\bget_plants\s*\(\s*\)/.test(lua);

/** Whether the robot's Lua lists a plant and gives it water. */
const isWatered = ({ plant_stage, water_curve_id }: Chosen): boolean =>
  plant_stage === 'planted' && typeof water_curve_id === 'number';

/** Returns the events that are not over and that all of these points are chosen for: one by itself, several with a group, or plants with all others. `now` in ms. */
export function visitsOf(
  chosen: readonly Chosen[],
  { events, sequences, regimens, groups }: Schedule,
  now: number,
): readonly Visit[] {
  const [only, ...others] = chosen;
  const groupIds = new Set<unknown>(
    groups.flatMap((group) => (chosen.every(({ id }) => group.memberIds.has(id)) ? [group.id] : [])),
  );
  return events.flatMap((event) => {
    const { executable_type, executable_id } = event;
    const regimen = executable_type === 'Regimen' ? regimens.find(({ id }) => id === executable_id) : undefined;
    const end = endOf(event, regimen);
    const name = (regimen ?? sequences.find(({ id }) => executable_type === 'Sequence' && id === executable_id))?.name;
    if (name === undefined || (end !== null && end < now)) return [];
    const programs = regimen?.regimen_items.map(({ sequence_id }) => sequence_id) ?? [executable_id];
    const known = new Set();
    const nodes = [
      ...nodesIn([event.body, regimen?.body]),
      ...programs.flatMap((id) => nodesOfProgram(id, sequences, known)),
    ];
    const isAboutThem = nodes.some(({ kind, args }) => {
      if (kind === 'lua') return watersAll(String(args.lua)) && chosen.every(isWatered);
      const [value] = kind === 'parameter_application' ? nodesIn(args.data_value) : [];
      if (value?.kind === 'point') return value.args.pointer_id === only?.id && others.length === 0;
      return value?.kind === 'point_group' && groupIds.has(value.args.point_group_id);
    });
    return isAboutThem ? [{ event, name }] : [];
  });
}
