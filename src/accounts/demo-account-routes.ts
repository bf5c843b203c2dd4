import Type from 'typebox';
import type { FieldFailures } from '../core/errors.ts';
import { Failure } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { networkOf } from '../core/network.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { text } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';
import type { Call, Route } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { asBody } from './account-fields.ts';
import type { DemoSeed } from './demo-accounts.ts';
import { DemoAccounts } from './demo-accounts.ts';
import type { AccountServices } from './services.ts';
import { identityOf } from './sessions.ts';

const hour = 3_600_000;
/** Demo accounts that one address may ask for in an hour. */
const perHour = 10;

/** Characters. The secret is the account's password … */
const shortestSecret = 8;
const longestSecret = 100;
/** … and a part of a topic, whose AMQP form has 255 bytes at most. [AMQP 0-9-1 shortstr] */
const mostBytes = 255 - 'demos.'.length;
const longestProductLine = 100;

/** What separates or stands for parts of topics, in MQTT or AMQP, and what MQTT forbids in them. */
const noTopic = /[/+#.*]|[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

const fields = {
  secret: text()
    .max(longestSecret, 'field')
    .required()
    .check(
      (secret, name) => {
        if (noTopic.test(secret)) return fieldProblem(name, 'must not contain / + # . * or control characters');
        if (secret.length < shortestSecret)
          return fieldProblem(name, `is too short (at least ${shortestSecret} characters)`);
        return Buffer.byteLength(secret) > mostBytes
          ? fieldProblem(name, `is too long (at most ${mostBytes} bytes)`)
          : null;
      },
      { minLength: shortestSecret },
    )
    .describe('The session is published to the topic `demos/<secret>`; also the password of the account.'),
  product_line: text()
    .max(longestProductLine, 'field')
    .required()
    .describe('What the robot of the demo is, `genesis_1.8` for one. Not checked.'),
};

export interface DemoServices {
  readonly accounts: AccountServices;
  /** Off: the address is not served. */
  readonly isOn: boolean;
  readonly seed: DemoSeed;
  /** Hands a message (JSON text) to whoever listens to a topic now. */
  readonly publish: (message: { readonly topic: string; readonly payload: string }) => Promise<void>;
}

/**
 * `POST /api/demo_account`: makes an account for a visitor, who hears of it over the broker, where they listen already. [Spec, reference 7]
 * Nothing waits in the jobs table: it would have to hold the secret. Who misses the message asks again, and an account
 * that nobody heard of goes by itself. `SIGN_UP` has no say here.
 */
export function demoAccountRoutes({ accounts, isOn, seed, publish }: DemoServices): Route[] {
  const demos = new DemoAccounts(accounts, seed);
  const asked = new FixedWindow(perHour, hour);
  const route: Route = {
    method: 'POST',
    path: '/api/demo_account',
    tag: 'demo accounts',
    access: 'public',
    transaction: false,
    summary: 'Make a demo account; its session is published to `demos/<secret>`',
    body: { rule: 'object', schema: inputSchema(fields, 'create', 'Demo account') },
    replies: { 200: Type.Object({}, { additionalProperties: false }) },
    async handle(server, call) {
      const { secret, product_line } = readWish(asBody(call.body));
      if (accounts.rules.hasRateLimits && !asked.consume(networkOf(call.address), server.clock.now()))
        throw new Failure('throttled', 'You asked for many demo accounts. Please try again in an hour.');
      const wish = { secret, productLine: product_line, addresses: accounts.addresses(call) };
      const session = await demos.make(server, wish, identityOf(call, null));
      const message = { topic: `demos/${secret}`, payload: JSON.stringify(session) };
      const { device_id: device } = session.user;
      sendAfterAnswer(server, call, device, () => publish(message));
      return {};
    },
  };
  return isOn ? [route] : [];
}

/** Throws 422 with all failing fields. */
function readWish(body: Body): { secret: string; product_line: string } {
  const reading = parseBody(fields, body, 'create');
  const { secret, product_line } = reading.values;
  // Fields are trimmed and cleaned, but the visitor listens to what was sent.
  const isOther = typeof body.secret === 'string' && typeof secret === 'string' && body.secret !== secret;
  const further: FieldFailures = isOther
    ? { secret: 'Secret must not contain control characters, nor begin or end with a space.' }
    : {};
  assertValid(reading, further);
  return { secret: String(secret), product_line: String(product_line) };
}

/** The message follows the answer, as announcements do. A failure is logged without its words: they may hold the topic. */
function sendAfterAnswer(server: ServerScope, call: Call, device: number, send: () => Promise<void>): void {
  call.responseSent.then(send).catch((error: unknown) => {
    const reason = error instanceof Error ? error.name : typeof error;
    server.log.warn({ device, reason }, 'the session of a demo account could not be published');
  });
}
