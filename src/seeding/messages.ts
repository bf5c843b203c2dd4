import { messagesIn } from '../core/message.ts';

/** Messages of the creation of gardens. */
export const say = messagesIn({
  en: {
    otherLine: 'Choose another kit, unless this is a demo.',
    noPast: 'Only demo gardens have a past, except those for stress tests.',
    started: 'Your garden is being created.',
    seeded: 'This account already has a garden.',
  },
  fr: {
    otherLine: 'Choisissez un autre modèle, sauf pour une démonstration.',
    noPast: 'Seuls les jardins de démonstration ont un passé, sauf ceux des tests de charge.',
    started: 'Votre jardin est en cours de création.',
    seeded: 'Ce compte a déjà un jardin.',
  },
  api: {
    otherLine: 'Product Line must be another one, unless this is a demo.',
  },
});
