import type { ConnectPacket } from 'aedes';
import type { IPublishPacket } from 'mqtt-packet';

export type PublishProperties = NonNullable<IPublishPacket['properties']>;

const isText = (value: unknown): boolean => typeof value === 'string';
/** Whether a value is one number: it is a list if repeated, and -1 if the packet ends before it. */
export const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0;

/** The properties that are passed on with a message, and what they are. [MQTT 5, 3.3.2.3] */
const ofMessages: Readonly<Record<string, (value: unknown) => boolean>> = {
  payloadFormatIndicator: (value) => typeof value === 'boolean',
  messageExpiryInterval: isNumber,
  contentType: isText,
  responseTopic: isText,
  correlationData: Buffer.isBuffer,
  // A value that does not end before its packet is null.
  userProperties: (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every((each) => [each].flat().every(isText)),
};

/** Whether a message may be passed on with these properties: the parser takes any in any packet, and makes lists of repeated ones. */
export const areOfMessage = (properties: object): boolean =>
  Object.entries(properties).every(([name, value]) => ofMessages[name]?.(value));

/** Whether a CONNECT has no property that is repeated, or zero where that is forbidden. [MQTT 5, 3.1.2.11] */
export function isValidConnect({ properties = {}, will }: ConnectPacket): boolean {
  const { sessionExpiryInterval = 0, receiveMaximum = 1, maximumPacketSize = 1 } = properties;
  const { willDelayInterval = 0, ...ofWill } = will?.properties ?? {};
  return (
    [sessionExpiryInterval, receiveMaximum, maximumPacketSize, willDelayInterval].every(isNumber) &&
    receiveMaximum > 0 &&
    maximumPacketSize > 0 &&
    areOfMessage(ofWill)
  );
}
