import { messagesIn } from '../core/message.ts';

/** Messages of series. */
export const say = messagesIn({
  en: {
    functions: (field: string, names: string) => `${field} must be a list of different functions of ${names}.`,
    neededFor: (field: string, source: string) => `${field} is required for ${source}.`,
    manyDays: (days: number) => `The span may have at most ${days} days.`,
    manyBuckets: (count: number) => `There would be more than ${count} buckets: choose a longer one or \`auto\`.`,
    manyPlaces: (count: number) =>
      `There would be more than ${count} places: choose a larger radius or a shorter span.`,
    manyPlaceBuckets: (count: number) =>
      `There would be more than ${count} buckets of places: choose longer ones, a larger radius or a shorter span.`,
    onlyFor: (field: string, use: string) => `${field} is only for ${use}.`,
    after: (field: string, other: string) => `${field} must be after ${other}.`,
    quarter: (field: string) => `${field} must be a full quarter of an hour.`,
  },
  fr: {
    functions: (field, names) => `« ${field} » doit être une liste de fonctions parmi ${names}.`,
    neededFor: (field, source) => `« ${field} » est obligatoire pour ${source}.`,
    manyDays: (days) => `La période peut durer au plus ${days} jours.`,
    manyBuckets: (count) => `Il y aurait plus de ${count} intervalles : choisissez-en de plus longs.`,
    manyPlaces: (count) =>
      `Il y aurait plus de ${count} lieux : choisissez un rayon plus grand ou une période plus courte.`,
    manyPlaceBuckets: (count) =>
      `Il y aurait plus de ${count} intervalles de lieux : choisissez-en de plus longs, un rayon plus grand ou une période plus courte.`,
    onlyFor: (field, use) => `« ${field} » n’est que pour ${use}.`,
    after: (field, other) => `« ${field} » doit être après « ${other} ».`,
    quarter: (field) => `« ${field} » doit être un quart d’heure entier.`,
  },
});
