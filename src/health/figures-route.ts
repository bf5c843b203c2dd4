import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import type { DeviceRoute } from '../engine/route.ts';
import type { FigureRecorder } from './figures.ts';
import { maxSamples, sampleInterval } from './figures.ts';

const count = Type.Integer({ minimum: 0 });

const figuresSchema = Type.Object(
  {
    process: Type.String({ description: 'The process that answers: the name of its computer, and its number there.' }),
    interval: Type.Integer({ description: 'Seconds from one sample to the next.' }),
    samples: Type.Array(
      Type.Object({
        at: { ...timeSchema, description: 'The end of the minute that the counts are of.' },
        requests: { ...count, description: 'HTTP responses that ended in the minute.' },
        errors: { ...count, description: 'Those of them with a status from 500.' },
        memory: { ...count, description: 'Resident memory of the process, in bytes.' },
        event_loop_delay: Type.Number({
          minimum: 0,
          description: 'How long due work waited for the processor, in milliseconds: 99 of 100 measurements are below.',
        }),
        jobs_waiting: Type.Nullable({
          ...count,
          description:
            'Background jobs of all processes that are due and not started. Null: the database did not respond.',
        }),
        http_connections: { ...count, description: 'Open connections of HTTP clients, with those of event streams.' },
        broker_connections: Type.Nullable({
          ...count,
          description: 'Clients of the built-in message broker. Null: there is none.',
        }),
      }),
      { description: `The oldest first, at most ${maxSamples}.` },
    ),
  },
  {
    $id: 'ServerFigures',
    examples: [
      {
        process: 'greenhouse 812',
        interval: sampleInterval,
        samples: [
          {
            at: '2026-04-01T08:00:00.000Z',
            requests: 240,
            errors: 0,
            memory: 125_829_120,
            event_loop_delay: 1.2,
            jobs_waiting: 0,
            http_connections: 3,
            broker_connections: 2,
          },
        ],
      },
    ],
  },
);

/** `/api/admin/figures`: load and errors of the process over the last day. */
export const figuresRoute = (figures: FigureRecorder): DeviceRoute => ({
  method: 'GET',
  path: '/api/admin/figures',
  access: 'token',
  tag: 'Administration',
  addition: true,
  summary: 'Show load and errors of the server over the last day',
  description:
    'Returns samples of the last 24 hours, one a minute: requests, errors, memory, delay, waiting jobs and connections. They are those of the process that answers, begin with its start, and are kept in memory only. For longer spans, and for several processes, collect `/metrics`.',
  replies: { 200: figuresSchema },
  handle: () => ({ process: figures.process, interval: sampleInterval, samples: figures.samples }),
  untagged: untagged.momentary,
});
