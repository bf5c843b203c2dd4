import { invitations } from '../accounts/invitations.ts';
import { catalogIn } from '../core/catalog.ts';
import type { ServerScope } from '../db/scope.ts';
import { acrossDevices } from '../db/table.ts';
import type { Notify } from '../device/notice.ts';
import { awayWays, notificationRules } from '../notifications/notification-rules.ts';
import { calendarFeeds } from '../programs/calendar-feeds.ts';
import { abandonDeliveries } from '../webhooks/deliveries.ts';
import { webhooks } from '../webhooks/webhook-resource.ts';

const textIn = catalogIn({
  en: {
    switchedOff: (host: string) =>
      `The webhook to ${host} was switched off, because the person who created it set a new password with a link from a mail. Switch it on again if it is yours.`,
  },
  fr: {
    switchedOff: (host) =>
      `Le webhook vers ${host} a été désactivé, car la personne qui l’a créé a choisi un nouveau mot de passe avec un lien reçu par e-mail. Réactivez-le s’il est à vous.`,
  },
});

const webhooksOfAll = acrossDevices(webhooks);

/**
 * Revokes access that a user granted in all gardens and that needs no session: deletes open invitations, calendar feeds and rules of notifications,
 * and switches webhooks off with a notice. An attacker with a session may have created them. Requires a transaction. [ADR 78]
 */
export async function endDelegatedAccess(server: ServerScope, userId: number, notify: Notify): Promise<void> {
  await server.delete(invitations, { where: { invited_by: userId } });
  await server.delete(calendarFeeds, { where: { user_id: userId } });
  await server.delete(notificationRules, { where: { user_id: userId, way: [...awayWays] } });
  for (const { id, device_id, url } of await server.rows(webhooksOfAll, {
    where: { user_id: userId, active: true },
  })) {
    const scope = server.device(device_id);
    await scope.update(webhooks, { active: false, next_attempt_at: null }, { where: { id } });
    await abandonDeliveries(scope, id);
    const { host } = new URL(url);
    await notify(scope, {
      message: (language) => textIn(language).switchedOff(host),
      type: 'warn',
      channels: ['toast'],
    });
  }
}
