import { randomBytes } from 'node:crypto';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Call, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import { asBody, certificateFields, normalizeEmail, parseFields } from './account-fields.ts';
import { encryptedText } from './credentials.ts';
import { say } from './messages.ts';
import { verifyPassword } from './password-verification.ts';
import type { AccountServices } from './services.ts';
import { userByEmail, users } from './users.ts';

/** The public key, and credentials encrypted with it for a robot that gets another owner. */
export function keyRoutes(services: AccountServices): Route[] {
  const publicKey = new Reply(services.keyPair.publicPem, 'text/plain; charset=utf-8');
  return [
    {
      method: 'GET',
      path: '/api/public_key',
      tag: 'Sign in',
      access: 'public',
      acceptsAnyVersion: true,
      summary: 'The public key, which verifies tokens and encrypts credentials of robots',
      description:
        "Returns the public half of the server's RSA key in PEM. It verifies the signatures of tokens (RS256), and robots encrypt their stored credentials with it.",
      replies: { 200: 'text' },
      textExamples: { 200: '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n' },
      handle: () => publicKey,
    },
    {
      method: 'POST',
      path: '/api/users/control_certificate',
      tag: 'Sign in',
      access: 'token',
      needsSession: true,
      role: 'owner',
      transaction: false,
      summary: 'Encrypt the credentials of the account that a robot is transferred to',
      description:
        'Checks the e-mail address and password of another account and returns them encrypted, as Base64. A robot that gets this text signs in to that account from then on.',
      body: {
        rule: 'late',
        schema: withExample(inputSchema(certificateFields, 'create', 'CertificateInput'), {
          email: 'ben@example.com',
          password: 'correct horse',
        }),
      },
      replies: { 200: 'text' },
      textExamples: { 200: 'c2lnbmF0dXJl' },
      handle: (scope, call) => certificate(services, scope, call),
    },
  ];
}

/** Bare Base64 although the content type is JSON. [decision 2, rule A25] */
async function certificate(services: AccountServices, scope: DeviceScope, call: Call): Promise<Reply> {
  const sent = parseFields<typeof certificateFields, 'email' | 'password'>(certificateFields, asBody(call.body));
  const email = normalizeEmail(sent.email);
  const target = await userByEmail(scope.server, email);
  const attempt = { user: target, email, password: sent.password };
  if (!(await verifyPassword(services, scope.server, call, attempt)))
    throw invalid({ credentials: say.unknownCredentials });
  const { publicKey } = services.keyPair;
  const essential = { email, password: sent.password };
  const requested_by = (await scope.rows(users)).map((row) => row.email);
  const full = { ...essential, requested_by, id: randomBytes(8).toString('hex') };
  // Only address and password are ever read; the rest is omitted if it exceeds the key size.
  const text = encryptedText(publicKey, full) ?? encryptedText(publicKey, essential);
  if (text === null) throw invalid({ credentials: say.credentialsTooLong });
  return new Reply(text, jsonContentType);
}
