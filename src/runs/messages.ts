import { messagesIn } from '../core/message.ts';

/** Messages to requests about runs. */
export const say = messagesIn({
  en: {
    places: (max: number) => `There must be 1 to ${max} places, each with a point_id and a program.`,
    noPoint: 'This plant or point does not exist.',
    active: 'A run is in progress in this garden. Stop it first, or wait for its end.',
    notResumable: 'Only the last run of the garden can be resumed, after it was stopped or interrupted.',
    over: 'This run is over.',
  },
  fr: {
    places: (max) => `Il faut une liste de 1 à ${max} endroits, chacun avec une plante ou un point et un programme.`,
    noPoint: 'Cette plante ou ce point n’existe pas.',
    active: 'Un passage est en cours dans ce jardin. Arrêtez-le d’abord, ou attendez sa fin.',
    notResumable: 'Seul le dernier passage du jardin peut reprendre, après un arrêt ou une interruption.',
    over: 'Ce passage est terminé.',
  },
});
