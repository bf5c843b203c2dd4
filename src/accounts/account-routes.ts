import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { DeviceRoute, Route } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { asBody, parseUpdate } from './account-fields.ts';
import { keyRoutes } from './key-routes.ts';
import { passwordResetRoutes } from './password-reset-routes.ts';
import type { AccountServices } from './services.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import { verificationRoute } from './verification-routes.ts';

const feedbackFields = { message: text(), slug: text() };

/** `POST /api/feedback`: validated and discarded. [rule A28] */
const feedbackRoute: DeviceRoute = {
  method: 'POST',
  path: '/api/feedback',
  tag: 'feedback',
  access: 'token',
  transaction: false,
  summary: 'Send feedback',
  body: { rule: 'object', schema: inputSchema(feedbackFields, 'update', 'Feedback') },
  replies: { 200: Type.Object({}, { additionalProperties: false }) },
  handle(_scope, call) {
    parseUpdate(feedbackFields, asBody(call.body));
    return {};
  },
};

/** Every route of accounts but the global config and demo accounts. */
export const accountRoutes = (services: AccountServices): Route[] => [
  ...tokenRoutes(services),
  ...userRoutes(services),
  ...passwordResetRoutes(services),
  ...keyRoutes(services),
  verificationRoute(services),
  feedbackRoute,
];
