import { messagesIn } from '../core/message.ts';

/** Why a run was interrupted, if not by a response of the robot. The sentences are stored in the English of the API. */
export const sayOfRun = messagesIn({
  en: {
    serverStopped: 'The server stopped before the robot responded.',
    robotLost: 'The robot lost its connection before it responded.',
    noRights: 'The person who started it may not command the robot any more.',
  },
  fr: {
    serverStopped: 'Le serveur s’est arrêté avant la réponse du robot.',
    robotLost: 'Le robot a perdu sa connexion avant de répondre.',
    noRights: 'La personne qui l’a lancé n’a plus le droit de commander le robot.',
  },
});
