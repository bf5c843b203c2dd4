import { messagesIn } from '../core/message.ts';

/** Messages of the garden over time. */
export const say = messagesIn({
  pairs: {
    oneForm: ['Send either `at`, or `from` and `to`.', 'Choisissez une date, ou une période.'],
  },
  en: {
    early: (field: string, begin: string) => `${field} is before the history of this garden, which begins at ${begin}.`,
    late: (field: string, end: string) => `${field} must be at most ${end}.`,
    after: (field: string, earlier: string) => `${field} must be after ${earlier}.`,
    tooMany: (count: number) => `A garden can be shown at ${count} times per minute.`,
  },
  fr: {
    early: (field, begin) => `« ${field} » précède l’historique de ce jardin, qui commence le ${begin}.`,
    late: (field, end) => `« ${field} » doit être au plus tard le ${end}.`,
    after: (field, earlier) => `« ${field} » doit être après « ${earlier} ».`,
    tooMany: (count) => `Un jardin peut être montré à ${count} moments par minute.`,
  },
});
