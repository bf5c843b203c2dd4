import { messagesIn } from '../core/message.ts';

/** Messages of webhooks. */
export const say = messagesIn({
  en: {
    names: (field: string, count: number) => `${field} must be a list of at most ${count} names.`,
    onlyContain: (field: string, names: string) => `${field} must only contain ${names}.`,
    credentials: (field: string) => `${field} must not contain a user name or a password.`,
    nothingToDeliver:
      'There is nothing to deliver: the change is no longer in the history, or the creator of the webhook may no longer read it.',
    sending: (count: number) => `Too many deliveries are being sent. Wait until some have ended. (At most ${count}.)`,
  },
  fr: {
    names: (field, count) => `« ${field} » doit être une liste d’au plus ${count} noms.`,
    onlyContain: (field, names) => `« ${field} » : choisissez parmi ${names}.`,
    credentials: (field) => `« ${field} » ne doit contenir ni nom d’utilisateur ni mot de passe.`,
    nothingToDeliver:
      'Il n’y a rien à envoyer : le changement n’est plus dans l’historique, ou l’auteur du webhook n’y a plus droit.',
    sending: (count) => `Trop d’envois sont en cours. Attendez que certains soient finis. (${count} au plus.)`,
  },
});
