import { capitalized } from '../core/capital-letters.ts';
import { messagesIn } from '../core/message.ts';

/** What the database refuses. */
export const say = messagesIn({
  en: {
    taken: (label: string) => `${capitalized(label)} is already taken.`,
    unrelated: 'This refers to a record that does not exist, or another record refers to it.',
    tooMany: (rows: number, what: string) => `There may be at most ${rows} ${what}.`,
    tooLarge: 'A number in the body is too large.',
  },
  fr: {
    taken: (label) => `« ${capitalized(label)} » : cette valeur est déjà prise.`,
    unrelated: 'Cet élément en désigne un qui n’existe pas, ou un autre le désigne.',
    tooMany: (rows, what) => `Le maximum est atteint : ${rows} ${what}.`,
    tooLarge: 'Un nombre est trop grand.',
  },
  api: { taken: (words) => `This ${words} is already taken.` },
});
