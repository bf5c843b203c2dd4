import Type from 'typebox';
import { text } from '../engine/fields.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { asBody, parseUpdate } from './account-fields.ts';

const fields = { message: text(), slug: text() };

/** `POST /api/feedback`: taken and answered. There is nobody to pass it on to on an owner's own server, and a token for support staff is never made. [reference] */
export const feedbackRoute: DeviceRoute = {
  method: 'POST',
  path: '/api/feedback',
  tag: 'feedback',
  access: 'token',
  transaction: false,
  summary: 'Send feedback',
  body: { rule: 'object', schema: inputSchema(fields, 'update', 'Feedback') },
  replies: { 200: Type.Object({}, { additionalProperties: false }) },
  handle(_scope, call) {
    parseUpdate(fields, asBody(call.body));
    return {};
  },
};
