import type { Counters } from '../../core/counters.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import type { LimitedLog } from './limited-log.ts';

/** Why the built-in broker itself refuses; what the permissions refuse they count themselves. */
export type GateReason =
  | 'anonymous'
  | 'client_id'
  | 'too_many_connections'
  | 'not_checked'
  | 'topic_length'
  | 'filter_length'
  | 'topic_levels'
  | 'filter_levels'
  | 'web_socket_path'
  | 'system_topic'
  | 'too_many_filters';

export interface GateRecords {
  readonly counters: Counters;
  readonly log: LimitedLog;
}

/** Counts and logs a refusal. The details hold no secrets. */
export function noteRefusal(
  { counters, log }: GateRecords,
  reason: GateReason,
  connection: Pick<GuardedConnection, 'address' | 'user'> | null,
  details: object = {},
): void {
  counters.add('broker_refusals', reason);
  const who = { address: connection?.address, ...(connection?.user && { username: connection.user.name }) };
  log.info({ reason, ...who, ...details }, 'the message broker refused a client');
}
