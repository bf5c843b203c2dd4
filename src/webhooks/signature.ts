import { createHmac } from 'node:crypto';

/** The content that a signature covers. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly body: string;
}

const prefix = 'whsec_';

/** Returns the headers of Standard Webhooks, with one signature for each secret. */
export function signatureHeaders(
  { id, time, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const sign = (secret: string): string =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${time}.${body}`)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
