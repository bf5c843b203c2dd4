import { messagesIn } from '../core/message.ts';

/** The messages about the number of points; they are stored in logs. */
export const sayOfLimit = messagesIn({
  en: {
    manyPoints: (count: number, limit: number) =>
      `There are ${count} points of at most ${limit}. Please delete some that you do not need.`,
    pointLimit: (limit: number) => `There may be at most ${limit} points. Please delete some that you do not need.`,
  },
  fr: {
    manyPoints: (count, limit) =>
      `Il y a ${count} points sur ${limit} au plus. Supprimez ceux dont vous n’avez pas besoin.`,
    pointLimit: (limit) => `Il peut y avoir au plus ${limit} points. Supprimez ceux dont vous n’avez pas besoin.`,
  },
});
