import type { Capacity } from './claims.ts';

/** Slots per process for jobs that mostly wait for other servers, in addition to the slots of other jobs. */
const waitingSlots = { mail: 4, storage: 3, broker: 3, web: 4, webhooks: 40, robots: 40 } as const;

/** Servers that jobs wait for: the mail server, the photo storage, the message broker, servers of third parties, receivers of webhooks; and the robots. */
export type AwaitedServer = keyof typeof waitingSlots;

type Pool = AwaitedServer | 'own';

/** Limits of a kind of job. */
export interface KindLimits {
  /** The server that jobs of this kind wait for: while it does not respond, they occupy no slots of other jobs. Default: none. */
  readonly waitsFor?: AwaitedServer;
  /** Maximum number of concurrent jobs of this kind per process. Default: all slots that it may use. */
  readonly concurrency?: number;
  /** Maximum number of concurrent jobs of this kind of one person per process. Persons with fewer running ones come first; of persons without any, the one whose last turn ended first. Default: no turns. */
  readonly perPerson?: number;
}

/** A job that runs in this process. */
export interface RunningJob {
  readonly kind: string;
  readonly turn_of: number | null;
}

/** The free slots of one pool, for each kind with its own limit, and for all others together. */
export interface FreeSlots {
  readonly slots: number;
  readonly capacities: readonly Capacity[];
}

/** Returns the free slots of each pool that has some. `ownSlots`: number of slots of jobs that wait for no other server. */
export function freeSlots(
  kinds: ReadonlyMap<string, KindLimits>,
  running: readonly RunningJob[],
  ownSlots: number,
): FreeSlots[] {
  const pools = new Map<Pool, string[]>();
  for (const [kind, { waitsFor = 'own' }] of kinds) pools.set(waitsFor, [...(pools.get(waitsFor) ?? []), kind]);
  const free: FreeSlots[] = [];
  for (const [pool, members] of pools) {
    const total = pool === 'own' ? ownSlots : waitingSlots[pool];
    const slots = total - running.filter(({ kind }) => members.includes(kind)).length;
    const isLimited = (kind: string): boolean => {
      const { concurrency, perPerson } = kinds.get(kind) ?? {};
      return concurrency !== undefined || perPerson !== undefined;
    };
    const limited = members.filter(isLimited).map((kind) => {
      const { concurrency = total, perPerson } = kinds.get(kind) ?? {};
      const own = running.filter((other) => other.kind === kind);
      const turns = perPerson === undefined ? {} : { turns: { perPerson, running: own.map(({ turn_of }) => turn_of) } };
      return { kinds: [kind], slots: Math.min(slots, concurrency - own.length), ...turns };
    });
    const shared: Capacity = { kinds: members.filter((kind) => !isLimited(kind)), slots };
    const capacities = [shared, ...limited].filter((one) => one.kinds.length > 0 && one.slots > 0);
    if (capacities.length > 0) free.push({ slots, capacities });
  }
  return free;
}
