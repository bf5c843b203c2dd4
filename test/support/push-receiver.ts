import { createDecipheriv, createECDH, createHmac, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The keys of a browser that receives pushes. */
export interface ReceiverKeys {
  readonly own: ECDH;
  readonly auth: Buffer;
}

/** Creates the keys of a browser; `secret` of a known one. */
export function receiverKeys(secret?: Buffer, auth: Buffer = randomBytes(16)): ReceiverKeys {
  const own = createECDH('prime256v1');
  if (secret) own.setPrivateKey(secret);
  else own.generateKeys();
  return { own, auth };
}

const extract = (salt: Buffer, input: Buffer): Buffer => createHmac('sha256', salt).update(input).digest();
const expand = (key: Buffer, info: Buffer, length: number): Buffer =>
  createHmac('sha256', key)
    .update(Buffer.concat([info, Buffer.of(1)]))
    .digest()
    .subarray(0, length);

/** Decrypts a message as a browser does. (RFC 8291, section 3.4; RFC 8188, section 2) */
export function decryptPush(message: Buffer, { own, auth }: ReceiverKeys): string {
  const salt = message.subarray(0, 16);
  const keyLength = message.readUInt8(20);
  const sender = message.subarray(21, 21 + keyLength);
  const record = message.subarray(21 + keyLength);
  if (message.readUInt32BE(16) < record.length) throw new Error('the message is more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const key = extract(salt, expand(extract(auth, own.computeSecret(sender)), info, 32));
  const decipher = createDecipheriv(
    'aes-128-gcm',
    expand(key, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    expand(key, Buffer.from('Content-Encoding: nonce\0'), 12),
  );
  decipher.setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = plain.lastIndexOf(2);
  if (plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('the padding is wrong');
  return plain.subarray(0, end).toString();
}

/** Verifies the signature of a request to a push service, and returns its claims. (RFC 8292) */
export function verifiedClaims(authorization: string | undefined, publicKey: string): Record<string, unknown> {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization ?? '') ?? [];
  if (key !== publicKey) throw new Error('the key is not the one of the subscription');
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const half = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: half(1), y: half(33) };
  const verifier = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), verifier, Buffer.from(signature, 'base64url')))
    throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server of the test that receives notifications. */
export class NotificationReceiver {
  readonly received: Received[] = [];
  /** Statuses of the next answers; afterward 201. */
  readonly answers: number[] = [];
  readonly #server: Server;
  readonly base: string;

  private constructor(server: Server) {
    this.#server = server;
    this.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
        response.writeHead(this.answers.shift() ?? 201).end();
      });
    });
  }

  static async start(): Promise<NotificationReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NotificationReceiver(server);
  }

  close(): void {
    this.#server.close();
  }
}
