import { labels } from '../core/field-labels.ts';
import { column } from '../db/columns.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { bigint, boolean, integer, oneOf, text, time } from '../engine/fields.ts';
import type { RecordRow } from '../engine/resource.ts';
import { resource } from '../engine/resource.ts';

/** The states of a run that is not over. */
export const activeStates = ['running', 'stopping'] as const;

/** The states of a run that goes on if it is asked to. */
export const resumableStates = ['interrupted', 'stopped'] as const;

/** Places of a run, and runs of a garden that are kept. */
export const [maxPlaces, maxRuns] = [500, 20];

/** Runs over several places: the robot runs a program at one after the other. [ADR 123] */
export const runs = resource('runs', {
  tag: 'Control',
  description: 'Programs that the robot runs at several places, one after the other.',
  max: { kept: maxRuns },
  example: { name: 'Water plant' },
  shownExample: { total: 10, done: 2, point_id: 7, place: 'Broccoli' },
  changeLogName: 'Run',
  isHistory: false,
  isPublished: false,
  exported: false,
  routes: ['list', 'show'],
  addition: true,
  fields: {
    name: text().required().max(280, 'field').describe('What it does, for people.').label(labels.name),
    state: oneOf(...activeStates, 'done', ...resumableStates)
      .default('running')
      .readOnly()
      .describe(
        '`stopping`: it ends after the current place. `stopped`: on request. `interrupted`: because of `problem`; it can be resumed.',
      )
      .label('State', 'État'),
    total: integer().default(0).readOnly().describe('Its places.').label('Places', 'Endroits'),
    done: integer().default(0).readOnly().describe('Places at which the robot ran the program.').label('Done', 'Faits'),
    skipped: integer()
      .default(0)
      .readOnly()
      .describe('Places that were left out: on request, or because the point was deleted.')
      .label('Left out', 'Laissés'),
    point_id: bigint()
      .nullByDefault()
      .readOnly()
      .describe('The point of the current place, or of the one at which it ended.')
      .label('Place', 'Endroit'),
    place: text().nullByDefault().readOnly().describe('Its name.').label('Name of the place', 'Nom de l’endroit'),
    problem: text()
      .nullByDefault()
      .readOnly()
      .describe('Why it was interrupted: a sentence.')
      .label('Problem', 'Problème'),
    ended_at: time().nullByDefault().readOnly().label('Ended at', 'Terminé le'),
    /** Who started or resumed it: without the right to command the robot it does not go on. */
    user_id: bigint().default(0).readOnly().hidden(),
    /** The program of the current place was sent, and its response is not stored. */
    is_sent: boolean().default(false).readOnly().hidden(),
  },
});

export type RunRow = RecordRow<typeof runs.fields>;

/** The places of the newest run of each garden, by number from 1. */
export const runPlaces = table(
  'run_places',
  {
    device_id: column.bigint().references('devices'),
    run_id: column.bigint().references('runs'),
    number: column.integer(),
    /** The point may be deleted meanwhile. */
    point_id: column.bigint(),
    name: column.text(),
    /** As `POST /api/commands` takes it. */
    program: column.json<object>(),
  },
  {
    reach: 'device',
    unique: [['run_id', 'number']],
    indexes: [['device_id']],
    maximum: { rows: maxPlaces, key: 'run_place_count' },
  },
);

export type RunPlaceRow = RowOf<typeof runPlaces>;
