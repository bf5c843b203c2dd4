import type { FieldFailures } from '../core/errors.ts';
import { Failure } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { networkOf } from '../core/ip-addresses.ts';
import { rateLimits } from '../core/rate-limit-table.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { fieldProblem } from '../engine/kinds.ts';
import type { Call, Route } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { asBody } from './account-fields.ts';
import type { DemoSeed } from './demo-accounts.ts';
import { DemoAccounts } from './demo-accounts.ts';
import type { AccountServices } from './services.ts';
import { identityOf } from './sessions.ts';

/** Characters of the secret, which becomes the password of the account … */
const minSecretLength = 8;
const maxSecretLength = 100;
/** … and part of a topic, whose AMQP form has at most 255 bytes. (AMQP 0-9-1 shortstr) */
const maxSecretBytes = 255 - 'demos.'.length;
const maxProductLineLength = 100;

/** Separators and wildcards of topics in MQTT or AMQP, and characters that MQTT forbids. */
const invalidInTopic = /[/+#.*]|[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

const fields = {
  secret: text()
    .max(maxSecretLength, 'field')
    .required()
    .check(
      (secret, name) => {
        if (invalidInTopic.test(secret)) return fieldProblem(name, 'must not contain / + # . * or control characters');
        if (secret.length < minSecretLength)
          return fieldProblem(name, `is too short (at least ${minSecretLength} characters)`);
        return Buffer.byteLength(secret) > maxSecretBytes
          ? fieldProblem(name, `is too long (at most ${maxSecretBytes} bytes)`)
          : null;
      },
      { minLength: minSecretLength },
    )
    .describe('The session is published to the topic `demos/<secret>`. Also the password of the account.'),
  product_line: text()
    .max(maxProductLineLength, 'field')
    .required()
    .describe('Model of the robot, such as `genesis_1.8`. Not validated.'),
};

export interface DemoServices {
  readonly accounts: AccountServices;
  /** False: the route is not served. */
  readonly isOn: boolean;
  readonly seed: DemoSeed;
  /** Publishes a message (JSON text) to the current subscribers of a topic. */
  readonly publish: (message: { readonly topic: string; readonly payload: string }) => Promise<void>;
}

/**
 * `POST /api/demo_account`: creates an account for a visitor and publishes its session over the broker. [rule A29]
 * No job does it, because its row would hold the secret. A client that misses the message asks again; unused accounts are
 * deleted.
 */
export function demoAccountRoutes({ accounts, isOn, seed, publish }: DemoServices): Route[] {
  const demos = new DemoAccounts(accounts, seed);
  const requestLimit = new FixedWindow(rateLimits.demoAccounts.limit, rateLimits.demoAccounts.period);
  const route: Route = {
    method: 'POST',
    path: '/api/demo_account',
    tag: 'demo accounts',
    access: 'public',
    transaction: false,
    summary: 'Create a demo account; its session is published to `demos/<secret>`',
    body: { rule: 'object', schema: inputSchema(fields, 'create', 'Demo account') },
    replies: { 200: Type.Object({}, { additionalProperties: false }) },
    async handle(server, call) {
      const { secret, product_line } = parseRequest(asBody(call.body));
      const network = networkOf(call.address);
      if (accounts.rules.hasRateLimits && !requestLimit.consume(network, server.clock.now()))
        throw new Failure('throttled', 'Too many demo accounts were requested. Please try again in an hour.');
      const request = { secret, productLine: product_line, addresses: accounts.addresses(call), network };
      const session = await demos.create(server, request, identityOf(call, null));
      const message = { topic: `demos/${secret}`, payload: JSON.stringify(session) };
      const { device_id: device } = session.user;
      publishAfterResponse(server, call, device, () => publish(message));
      return {};
    },
  };
  return isOn ? [route] : [];
}

/** Throws 422 with all failing fields. */
function parseRequest(body: Body): { secret: string; product_line: string } {
  const parsed = parseBody(fields, body, 'create');
  const { secret, product_line } = parsed.values;
  // Parsing trims and cleans fields, but the client subscribed to the secret as it was sent.
  const isChanged = typeof body.secret === 'string' && typeof secret === 'string' && body.secret !== secret;
  const failures: FieldFailures = isChanged
    ? { secret: 'Secret must not contain control characters, nor begin or end with a space.' }
    : {};
  assertValid(parsed, failures);
  return { secret: String(secret), product_line: String(product_line) };
}

/** Publishes after the response, like announcements. The log names only the class of an error: its message may contain the topic. */
function publishAfterResponse(server: ServerScope, call: Call, device: number, send: () => Promise<void>): void {
  call.responseSent.then(send).catch((error: unknown) => {
    const reason = error instanceof Error ? error.name : typeof error;
    server.log.warn({ device, reason }, 'the session of a demo account could not be published');
  });
}
