/** A message with the properties of its publisher, if that speaks MQTT 5. */
export interface SizedMessage {
  readonly topic: string;
  readonly payload: { readonly length: number };
  readonly properties?: object;
}

/** Returns about how many bytes a message has. */
export const messageBytes = ({ topic, payload, properties }: SizedMessage): number =>
  topic.length + payload.length + (properties ? bytesOf(properties) : 0);

function bytesOf(value: unknown): number {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + bytesOf(each), 0);
}
