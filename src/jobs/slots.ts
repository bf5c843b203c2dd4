import type { Capacity } from './claims.ts';

/** Slots per process for jobs that mostly wait for other servers, in addition to those of the other jobs. */
const waitingSlots = { mail: 4, storage: 3, broker: 3, web: 4, webhooks: 40 } as const;

/** Servers that jobs wait for: the mail server, the photo storage, the message broker, servers of third parties, receivers of webhooks. */
export type AwaitedServer = keyof typeof waitingSlots;

type Pool = AwaitedServer | 'own';

/** Limits of a kind of job. */
export interface KindLimits {
  /** The server that jobs of this kind wait for: while it does not respond, they occupy no slots of other jobs. Default: none. */
  readonly waitsFor?: AwaitedServer;
  /** Maximum number of concurrent jobs of this kind per process. Default: all slots that it may use. */
  readonly concurrency?: number;
}

/** The free slots of one pool, for each kind with its own limit, and for all others together. */
export interface FreeSlots {
  readonly slots: number;
  readonly capacities: readonly Capacity[];
}

/** Returns the free slots of each pool that has some. `ownSlots`: number of slots of jobs that wait for no other server. `running`: kinds of running jobs. */
export function freeSlots(
  kinds: ReadonlyMap<string, KindLimits>,
  running: readonly string[],
  ownSlots: number,
): FreeSlots[] {
  const pools = new Map<Pool, string[]>();
  for (const [kind, { waitsFor = 'own' }] of kinds) pools.set(waitsFor, [...(pools.get(waitsFor) ?? []), kind]);
  const free: FreeSlots[] = [];
  for (const [pool, members] of pools) {
    const total = pool === 'own' ? ownSlots : waitingSlots[pool];
    const slots = total - running.filter((kind) => members.includes(kind)).length;
    const isLimited = (kind: string): boolean => kinds.get(kind)?.concurrency !== undefined;
    const limited = members.filter(isLimited).map((kind) => {
      const count = running.filter((other) => other === kind).length;
      return { kinds: [kind], slots: Math.min(slots, (kinds.get(kind)?.concurrency ?? slots) - count) };
    });
    const shared = { kinds: members.filter((kind) => !isLimited(kind)), slots };
    const capacities = [shared, ...limited].filter((one) => one.kinds.length > 0 && one.slots > 0);
    if (capacities.length > 0) free.push({ slots, capacities });
  }
  return free;
}
