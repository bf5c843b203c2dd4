import { hasGuestAddress } from '../accounts/guests.ts';
import { userByEmail, users } from '../accounts/users.ts';
import { timestamp } from '../core/clock.ts';
import { refused } from '../core/errors.ts';
import { preferredLanguage } from '../core/languages.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { acrossDevices } from '../db/table.ts';
import { feedbacks } from '../device/feedbacks.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { feedbackMail } from '../mail/feedback.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { say } from './messages.ts';

const allFeedbacks = acrossDevices(feedbacks);

/** Messages per device in 24 hours. */
const maxPerDay = 10;
/** Messages per device that the operator has not removed. */
const maxStored = 100;
const day = 24 * 3_600_000;

const feedbackJob = 'feedback_mail';

const fields = { message: text().label('Message', 'Message'), slug: text().max(280) };

export interface FeedbackDependencies {
  readonly queue: JobQueue;
  readonly mail: MailTransport;
  /** The address that gets a mail for each message; null: none. */
  readonly operator: string | null;
}

/** `POST /api/feedback`: stores the message, and mails it to the operator. [rule A28, ADR 34] */
export const feedbackRoute = ({ queue, operator }: FeedbackDependencies): DeviceRoute => ({
  method: 'POST',
  path: '/api/feedback',
  tag: 'Operator',
  access: 'token',
  summary: 'Send feedback to the operator',
  description: 'Stores the message for the operator of the server, who may get a mail.',
  body: inputBody(fields, 'update', 'FeedbackInput', { message: 'The map is slow on my phone.' }),
  replies: { 200: Type.Object({}) },
  async handle(scope, call) {
    const parsed = parseBody(fields, objectBody(call), 'update');
    assertValid(parsed);
    const { message, slug = null } = parsed.values as { message?: string; slug?: string };
    if (message === undefined || scope.userId === null) return {};
    await assertAllowed(scope);
    const { id } = await scope.insert(feedbacks, { user_id: scope.userId, message, slug });
    if (operator !== null) {
      const { deviceId } = scope;
      await queue.enqueue(scope.server, feedbackJob, { deviceId, id }, { deviceId, maxAttempts: maxMailAttempts });
    }
    return {};
  },
});

/** Throws 422 for demo accounts, whose messages would be deleted with them, and beyond the limits. */
async function assertAllowed(scope: DeviceScope): Promise<void> {
  if ((await scope.rows(users)).some(hasGuestAddress)) throw refused(say.demoFeedback);
  const since = timestamp(scope.clock.now() - day);
  if ((await scope.count(feedbacks, { where: { created_at: { gt: since } } })) >= maxPerDay)
    throw refused(say.feedbackPerDay(maxPerDay));
  if ((await scope.count(feedbacks)) >= maxStored) throw refused(say.unread(maxStored));
}

/** Moves the messages of a scope's user to a new device of theirs, inside a transaction: replacing the device neither deletes them nor resets their limits. */
export async function moveFeedback(from: DeviceScope, to: DeviceScope): Promise<void> {
  if (from.userId === null) return;
  const moved = await from.delete(feedbacks, { where: { user_id: from.userId } });
  for (const { user_id, message, slug, created_at } of moved)
    await to.insert(feedbacks, { user_id, message, slug, created_at });
}

/** The job that mails a message to the operator. */
export const feedbackMails = ({ mail, operator }: FeedbackDependencies): JobDefinition => ({
  kind: feedbackJob,
  waitsFor: 'mail',
  async handle(server, { deviceId, id }) {
    if (operator === null || typeof deviceId !== 'number' || typeof id !== 'number') return;
    const scope = server.device(deviceId);
    const feedback = await scope.first(feedbacks, { where: { id } });
    const user = feedback && (await scope.first(users, { where: { id: feedback.user_id } }));
    if (!feedback || !user) return;
    const account = await userByEmail(server, operator);
    const recipient = { to: operator, language: preferredLanguage(account?.language) };
    await mail.send(feedbackMail(recipient, { ...feedback, email: user.email }));
  },
});

/** Operations on feedback. */
export const feedbackOperations = ({ server }: { readonly server: () => ServerScope }) => ({
  /** Lists all messages, oldest first, with the addresses of their senders; `slug`: the page of the web app from which it was sent. */
  async list() {
    const rows = await server().rows(allFeedbacks);
    const senders = await server().rows(users, { where: { id: [...new Set(rows.map(({ user_id }) => user_id))] } });
    const emails = new Map(senders.map(({ id, email }) => [id, email]));
    return rows.map(({ updated_at: _never, user_id, ...row }) => ({ ...row, email: emails.get(user_id) ?? '' }));
  },
  /** Deletes a message. Returns false if there is none with this id. */
  remove: async (id: number): Promise<boolean> => (await server().delete(allFeedbacks, { where: { id } })).length > 0,
});
