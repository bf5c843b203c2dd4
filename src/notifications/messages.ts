import { messagesIn } from '../core/message.ts';

/** Messages of the API about rules of notifications. */
export const say = messagesIn({
  en: {
    kinds: (field: string, kinds: string) => `${field} must be a list of ${kinds}.`,
    noAddress: (field: string) => `${field} is needed for this way.`,
    ownAddress: (field: string) => `${field} is not needed: mails go to the address of the account.`,
    credentials: (field: string) => `${field} must not contain a user name or a password.`,
    token: (field: string) => `${field} must be of letters, digits and punctuation without accents or spaces.`,
    pushKeys: (field: string) => `${field} must be the keys p256dh and auth of a browser.`,
    localTime: (field: string) => `${field} must be a time such as 22:00.`,
    bothTimes: (field: string) => `${field} is needed: quiet hours have a start and an end.`,
    tooMany: (count: number) => `You have ${count} rules in this garden already.`,
    demo: 'A demo account is notified on its pages only. Please sign up.',
  },
  fr: {
    kinds: (field) => `« ${field} » : choisissez dans la liste.`,
    noAddress: (field) => `« ${field} » est nécessaire pour ce moyen.`,
    ownAddress: (field) => `« ${field} » est inutile : les e-mails vont à l’adresse du compte.`,
    credentials: (field) => `« ${field} » ne doit contenir ni nom ni mot de passe.`,
    token: (field) => `« ${field} » : lettres, chiffres et ponctuation, sans accent ni espace.`,
    pushKeys: (field) => `« ${field} » doit contenir les clés p256dh et auth d’un navigateur.`,
    localTime: (field) => `« ${field} » doit être une heure, par exemple 22:00.`,
    bothTimes: (field) => `« ${field} » est nécessaire : le calme a un début et une fin.`,
    tooMany: (count) => `Vous avez déjà ${count} règles dans ce jardin.`,
    demo: 'Un compte de démonstration est averti sur ses pages seulement. Créez un compte.',
  },
});
