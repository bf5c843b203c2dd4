import type { JsonObject } from '../support/json.ts';

/** A kind of records that are written during a soak. Every value depends on `n`. */
export interface RecordKind {
  /** The path of the list, without `/api/`. */
  readonly collection: string;
  create(name: string, n: number): JsonObject;
  change(n: number): JsonObject;
}

const wait = (n: number): JsonObject => ({ kind: 'wait', args: { milliseconds: n } });

/** Resources with different tables, rules and hooks. */
export const recordKinds: readonly RecordKind[] = [
  {
    collection: 'tools',
    create: (name, n) => ({ name, flow_rate_ml_per_s: n }),
    change: (n) => ({ flow_rate_ml_per_s: n, seeder_tip_z_offset: n }),
  },
  {
    collection: 'points',
    create: (name, n) => ({ pointer_type: 'Plant', name, x: n, y: n + 1, z: 0 }),
    change: (n) => ({ x: n, y: n + 1 }),
  },
  {
    collection: 'points',
    create: (name, n) => ({ pointer_type: 'GenericPointer', name, x: n, y: n + 1, z: 0, radius: 5 }),
    change: (n) => ({ x: n, y: n + 1, radius: n % 100 }),
  },
  {
    collection: 'sequences',
    create: (name, n) => ({ name, body: [wait(n)] }),
    change: (n) => ({ body: [wait(n), wait(n + 1)] }),
  },
  {
    collection: 'curves',
    create: (name, n) => ({ name, type: 'water', data: { '1': n, '20': n + 1 } }),
    change: (n) => ({ data: { '1': n, '30': n + 1 } }),
  },
  {
    collection: 'farmware_envs',
    create: (key, n) => ({ key, value: `${n}` }),
    change: (n) => ({ value: `${n}` }),
  },
  {
    collection: 'webcam_feeds',
    create: (name, n) => ({ name, url: `http://webcam.example/${n}` }),
    change: (n) => ({ url: `http://webcam.example/${n}` }),
  },
];

/** The paths of their lists, without `/api/`. */
export const collections: readonly string[] = [...new Set(recordKinds.map(({ collection }) => collection))];
