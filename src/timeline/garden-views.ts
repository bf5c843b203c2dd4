import { plantAt, stateAt } from '../core/garden-time.ts';
import type { DayCounts } from './day-counts.ts';
import type { GardenHistory, ShownState } from './point-histories.ts';

/** Returns the JSON array of the points of a garden at a time, plants as they are then. `at`, `now` in ms. */
export function pointsAt({ points, curves }: GardenHistory, at: number, now: number): string {
  let text = '[';
  for (const { states } of points) {
    const state = stateAt(states, at);
    if (!state?.point) continue;
    const { plant } = state.point;
    let members = state.json;
    if (plant) {
      const figures = {
        spread: curves.get(plant.spread_curve_id ?? 0),
        height: curves.get(plant.height_curve_id ?? 0),
        crop: state.growth?.crop,
      };
      const then = plantAt(plant, figures, state.growth?.harvest ?? null, at, now);
      if (!then) continue;
      members += `,"harvest":${state.growth?.json},"state":"${then.state}","spread":${then.spread},"height":${then.height}`;
    }
    text += `${text === '[' ? '' : ','}{${members}}`;
  }
  return `${text}]`;
}

/** A span in ms since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the numbers of the states of a point in a span; of those that begin within the same step only the last one's. */
function statesIn(states: readonly ShownState[], { from, to }: Span, step: number): number[] {
  const stepOf = (since: number): number => Math.floor((since - from) / step);
  const found: number[] = [];
  for (let index = 0; index < states.length; index++) {
    const since = states[index]?.since ?? 0;
    if (since > to) break;
    const next = states[index + 1]?.since;
    if (next !== undefined && (next <= from || (next <= to && since > from && stepOf(next) === stepOf(since))))
      continue;
    found.push(index);
  }
  return found;
}

/** Returns the JSON of a state. `isNextTo`: to the one that is sent before it. */
function stateJson(state: ShownState, isNextTo: boolean): string {
  if (!state.point) return `{"since":"${state.time}","removed":true}`;
  return `{"since":"${state.time}",${isNextTo && state.changed !== null ? state.changed : state.json}}`;
}

/** The points of a garden in a span. */
export interface SpanOfPoints {
  readonly json: string;
  /** Of the changes of a point within this time only the last one is in it, in ms. */
  readonly step: number;
}

/** Returns the points of a garden with their states in a span, in steps that are so long that there are few enough. */
export function pointsBetween(history: GardenHistory, span: Span, minStep: number, maxStates: number): SpanOfPoints {
  for (let step = minStep; ; step *= 2) {
    const found = history.points.map(({ states }) => statesIn(states, span, step));
    const count = found.reduce((sum, { length }) => sum + length, 0);
    if (count <= Math.max(maxStates, 2 * history.points.length)) return { json: pointsJson(history, found), step };
  }
}

/** Returns the JSON array of points with some of their states, by their numbers. */
function pointsJson({ points }: GardenHistory, shown: readonly (readonly number[])[]): string {
  let text = '[';
  for (const [number, { id, states }] of points.entries()) {
    let list = '';
    let last = Number.NaN;
    for (const index of shown[number] ?? []) {
      const state = states[index] as ShownState;
      // Before the point was there.
      if (list === '' && !state.point) continue;
      list += `${list === '' ? '' : ','}${stateJson(state, list !== '' && index === last + 1)}`;
      last = index;
    }
    if (list !== '') text += `${text === '[' ? '' : ','}{"id":${id},"states":[${list}]}`;
  }
  return `${text}]`;
}

/** Counts what happened to points in a span, and what will. */
export function countPoints({ points }: GardenHistory, counts: DayCounts): void {
  for (const { states } of points) {
    for (const [index, { since, point }] of states.entries()) {
      const before = states[index - 1]?.point;
      if (!before) continue;
      if (!point) counts.add('removed', since);
      else if (point.x !== before.x || point.y !== before.y) counts.add('moved', since);
    }
    const last = states.findLast(({ point }) => point !== null);
    const planted = last?.point?.plant?.planted ?? null;
    if (planted !== null) counts.add('planted', planted);
    const harvest = last === states.at(-1) ? last?.growth?.harvest : null;
    if (harvest) counts.add('ripe', harvest.from);
  }
}
