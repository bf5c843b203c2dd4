import { randomBytes } from 'node:crypto';
import type { FieldFailures } from '../core/errors.ts';
import { Failure, throttled } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { siteOf } from '../core/ip-addresses.ts';
import { defaultLanguage, languageOf } from '../core/languages.ts';
import { NetworkWindow } from '../core/network-window.ts';
import { rateLimits } from '../core/rate-limit-table.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { fieldProblem } from '../engine/kinds.ts';
import { languageField } from '../engine/language-field.ts';
import type { Call, Route } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import { asBody, parseFields } from './account-fields.ts';
import type { DemoGarden, DemoSeed } from './demo-accounts.ts';
import { DemoAccounts } from './demo-accounts.ts';
import { say } from './messages.ts';
import { allowsDemos } from './server-settings.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { identityOf, sessionSchema } from './sessions.ts';

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
        if (invalidInTopic.test(secret)) return fieldProblem(name, say.topicCharacters);
        if (secret.length < minSecretLength) return fieldProblem(name, sayOfField.minLength, minSecretLength);
        return Buffer.byteLength(secret) > maxSecretBytes
          ? fieldProblem(name, sayOfField.maxBytes, maxSecretBytes)
          : null;
      },
      { minLength: minSecretLength },
    )
    .describe('The session is published to the topic `demos/{secret}`. Also the password of the account.'),
  product_line: text()
    .max(maxProductLineLength, 'field')
    .required()
    .describe('Model of the robot, such as `genesis_1.8`. Not validated.')
    .label(labels.robot),
};

const { product_line: productLineField } = fields;
const directFields = { product_line: productLineField, language: languageField };

export interface DemoServices {
  readonly accounts: AccountServices;
  readonly seed: DemoSeed;
  /** Publishes a message (JSON text) to the current subscribers of a topic. */
  readonly publish: (message: { readonly topic: string; readonly payload: string }) => Promise<void>;
}

/**
 * `POST /api/demo_account`: creates an account for a visitor and publishes its session over the broker. [rule A29]
 * `POST /api/demo_gardens` does so without the broker, and returns the session. [ADR 72]
 * No job does it, because its row would contain the secret. A client that misses the message asks again; unused accounts are
 * deleted.
 */
export function demoAccountRoutes({ accounts, seed, publish }: DemoServices): Route[] {
  const demos = new DemoAccounts(accounts, seed);
  const requestLimit = new NetworkWindow(rateLimits.demoAccounts);
  const createDemo = async (
    server: ServerScope,
    call: Call,
    secret: string,
    garden: DemoGarden,
  ): Promise<OpenedSession> => {
    if (!(await allowsDemos(server, accounts.rules))) throw new Failure('not_found', say.noDemo);
    const now = server.clock.now();
    if (accounts.rules.hasRateLimits && !requestLimit.consume(call.address, now))
      throw throttled(requestLimit.wait(now), say.demoThrottled);
    const request = { secret, ...garden, addresses: accounts.addresses(call), network: siteOf(call.address) };
    return demos.create(server, request, identityOf(call, null));
  };
  const route: Route = {
    method: 'POST',
    path: '/api/demo_account',
    tag: 'Sign in',
    access: 'public',
    transaction: false,
    summary: 'Create a demo account; its session is published to `demos/{secret}`',
    description:
      'Creates an account without an e-mail address and seeds its garden. The response is empty: the session (as of `POST /api/tokens`) is published to the MQTT topic `demos/{secret}`, to which the client subscribes first. Only where the operator allows demo accounts.',
    body: inputBody(fields, 'create', 'DemoAccountInput', {
      secret: 'a1b2c3d4e5',
      product_line: 'genesis_1.8',
    }),
    replies: { 200: Type.Object({}), 404: failureSchema },
    async handle(server, call) {
      const { secret, product_line } = parseRequest(asBody(call.body));
      const garden = { productLine: product_line, language: defaultLanguage, hasPast: false };
      const session = await createDemo(server, call, secret, garden);
      const message = { topic: `demos/${secret}`, payload: JSON.stringify(session) };
      const { device_id: device } = session.user;
      publishAfterResponse(server, call, device, () => publish(message));
      return {};
    },
  };
  const direct: Route = {
    method: 'POST',
    path: '/api/demo_gardens',
    tag: 'Sign in',
    access: 'public',
    addition: true,
    transaction: false,
    summary: 'Create a demo account, and sign in',
    description:
      'Creates an account without an e-mail address, seeds its garden, which has a past, and returns its session. It is deleted an hour after its last use. Only where the operator allows demo accounts.',
    body: inputBody(directFields, 'create', 'DemoGardenInput', { product_line: 'genesis_1.8' }),
    replies: { 200: sessionSchema, 404: failureSchema },
    handle(server, call) {
      const garden = parseFields<typeof directFields, 'product_line'>(directFields, asBody(call.body));
      const language = languageOf(garden.language);
      return createDemo(server, call, randomBytes(24).toString('base64url'), {
        productLine: garden.product_line,
        language,
        hasPast: true,
      });
    },
  };
  return [route, direct];
}

/** Throws 422 with all failing fields. */
function parseRequest(body: Body): { secret: string; product_line: string } {
  const parsed = parseBody(fields, body, 'create');
  const { secret, product_line } = parsed.values;
  // Parsing trims and cleans fields, but the client subscribed to the secret as it was sent.
  const isChanged = typeof body.secret === 'string' && typeof secret === 'string' && body.secret !== secret;
  const failures: FieldFailures = isChanged ? { secret: say.spacesAtEnds(labelOf('secret')) } : {};
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
