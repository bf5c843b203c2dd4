import { messagesIn } from '../core/message.ts';

/** Messages of streams. */
export const say = messagesIn({
  en: {
    eventId: (field: string) => `${field} must be the id of an event.`,
    names: (field: string, names: string) => `${field} must be some of ${names}, separated by commas.`,
    notReadable: (what: string) => `Your token may not read ${what}.`,
    manyStreams: (_subject: string, _limit: number) => 'This garden is open in too many tabs. Close one first.',
    deadTicket: 'The ticket is not valid, was used or has expired. Get another one.',
    manyTickets: 'There are too many unused tickets. Wait half a minute.',
  },
  fr: {
    eventId: (field) => `« ${field} » doit être le numéro d’un événement.`,
    names: (field, names) => `« ${field} » : choisissez parmi ${names}, séparés par des virgules.`,
    notReadable: (what) => `Votre jeton ne permet pas de lire ${what}.`,
    manyStreams: () => 'Ce jardin est ouvert dans trop d’onglets. Fermez-en un d’abord.',
    deadTicket: 'Ce billet n’est pas valide, a servi ou a expiré. Demandez-en un autre.',
    manyTickets: 'Trop de billets n’ont pas servi. Attendez une demi-minute.',
  },
  api: {
    manyStreams: (subject, limit) => `${subject} ${limit} event streams of this garden already. Close one first.`,
  },
});
