import type { PacketError } from './packet-reader.ts';
import type { FrameError } from './transport.ts';

/** The reason why the server closes a connection. */
export type CloseReason =
  | PacketError
  | FrameError
  | 'connect_timeout'
  | 'too_many_pending'
  | 'too_many_filters'
  | 'queue_full'
  | 'queues_full'
  | 'unfinished_full'
  | 'refused_publish'
  | 'not_stored'
  | 'protocol'
  | 'keep_alive'
  | 'token_revoked'
  | 'token_expired';
