import type { AedesPublishPacket, Subscription } from 'aedes';
import { matchesFilter } from './topic-tree.ts';

/** The subscriptions of a client, by filters. */
export type Subscriptions = ReadonlyMap<string, Subscription>;

/** Returns the subscriptions whose filter matches a topic. */
export const matching = (subscriptions: Subscriptions, topic: string): Subscription[] =>
  [...subscriptions.values()].filter((each) => matchesFilter(each.topic, topic));

/** Whether a message comes from the client itself, which does not want its own: a bridge would deliver them twice. [rule M26] */
export const isUnwanted = (packet: AedesPublishPacket, clientId: string, subscriptions: Subscriptions): boolean =>
  'clientId' in packet && packet.clientId === clientId && matching(subscriptions, packet.topic).every(({ nl }) => nl);
