import type { ResourceRights, Rights } from '../engine/rights.ts';
import { allRights, refusal, roles } from '../engine/rights.ts';
import { scopeNames } from '../engine/tags.ts';
import type { ChannelName } from './topics.ts';
import { channelNames, channels, topicRoot } from './topics.ts';

/** The rights of a credential on the channels of its device, besides its username's. [ADR 49] */
export interface TopicRights {
  readonly rights: Rights;
  readonly resources: ResourceRights;
}

const isChannel = (name: string): name is ChannelName => channelNames.some((each) => each === name);

const isWildcard = (level: string | undefined): boolean => level === undefined || level === '#' || level === '*';

/** Whether nothing needs to be checked: all channels are open to sessions of owners. */
export const isUnlimited = ({ role, scopes }: Rights): boolean => scopes === null && role === 'owner';

/**
 * Returns whether a credential may use topics of its device, in AMQP notation. `some`: a pattern with wildcards is allowed if any
 * topic that it matches is, because each delivery is checked; `every`: if all are.
 */
export function mayUseTopic(
  { rights, resources }: TopicRights,
  operation: 'read' | 'write',
  routingKey: string,
  quantifier: 'some' | 'every',
): boolean {
  if (isUnlimited(rights)) return true;
  const [root, , channel, resource] = routingKey.split('.');
  if (root !== topicRoot) return true;
  const isAllowed = (name: ChannelName, record: string | undefined): boolean => {
    if (operation === 'write') return refusal(rights, { role: 'gardener', scopes: channels[name].write }) === null;
    if (name !== 'sync') return refusal(rights, { role: 'viewer', scopes: channels[name].read }) === null;
    const isReadable = resources.readable(rights);
    if (record !== undefined && !isWildcard(record)) return isReadable(record);
    // Where some members are not owners, messages for owners are not published to a broker that does not check deliveries.
    const names =
      rights.role === 'owner' ? resources.names : resources.names.filter((name) => !resources.isForOwners(name));
    return names[quantifier](isReadable);
  };
  if (channel !== undefined && isChannel(channel)) return isAllowed(channel, resource);
  return channelNames[quantifier]((name) => isAllowed(name, undefined));
}

/** The tag of a sign-in whose scopes are limited. */
const scopedTag = 'scoped';
const scopePrefix = 'scope_';

/** Returns the tags that RabbitMQ keeps of a sign-in and sends with each question about a topic; none for unlimited rights. */
export const tagsOf = ({ role, scopes }: Rights): readonly string[] => {
  if (isUnlimited({ role, scopes })) return [];
  return [role, ...(scopes === null ? [] : [scopedTag, ...[...scopes].map((scope) => scopePrefix + scope)])];
};

/** Returns the rights of which {@link tagsOf} made these tags, separated by spaces. */
export function rightsOfTags(tags: string): Rights {
  const words = new Set(tags.split(' '));
  const role = roles.find((each) => words.has(each)) ?? allRights.role;
  if (!words.has(scopedTag)) return { role, scopes: null };
  return { role, scopes: new Set(scopeNames.filter((scope) => words.has(scopePrefix + scope))) };
}
