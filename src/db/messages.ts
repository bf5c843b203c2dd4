import { messagesIn } from '../core/message.ts';

/** Refusals of the database. */
export const say = messagesIn({
  en: {
    taken: (_names: string, label: string) => `${label} is already taken.`,
    unrelated: 'This refers to a record that does not exist, or another record refers to it.',
    tooMany: (rows: number, what: string) => `There may be at most ${rows} ${what}.`,
    tooLarge: 'A number in the body is too large.',
  },
  fr: {
    taken: (_names, label) => `« ${label} » : cette valeur est déjà prise.`,
    unrelated: 'Cet élément en désigne un qui n’existe pas, ou un autre le désigne.',
    tooMany: (rows, what) => `Le maximum est atteint : ${rows} ${what}.`,
    tooLarge: 'Un nombre est trop grand.',
  },
  api: { taken: (names) => `This ${names} is already taken.` },
});
