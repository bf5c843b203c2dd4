import { messagesIn } from '../core/message.ts';
import { storedMessages } from '../core/stored-messages.ts';
import { sayOfRobot } from '../robot/log-messages.ts';

/** The reason why the server stopped a robot. The sentences are stored in the English of the API. */
export const sayOfEnd = messagesIn({
  en: {
    realRobot: 'A real robot connected.',
    limit: 'The limit of virtual robots on this server is reached.',
    idle: 'It was idle for 15 minutes.',
    sessionRevoked: 'Its session ended, as after a change of the password. Start it again.',
    noUser: 'Its user was deleted or disabled, or may not command the robot any more.',
  },
  fr: {
    realRobot: 'Un vrai robot s’est connecté.',
    limit: 'Ce serveur a déjà autant de robots virtuels qu’il peut.',
    idle: 'Il n’a rien eu à faire pendant 15 minutes.',
    sessionRevoked: 'Sa session est terminée, comme après un changement du mot de passe. Redémarrez-le.',
    noUser: 'Son compte a été supprimé ou désactivé, ou n’a plus le droit de commander le robot.',
  },
});

/** The sentence of a robot that ends itself. */
const { factoryReset, poweredOff } = sayOfRobot;

/** Reads a stored reason. */
export const endMessage = storedMessages([sayOfEnd, { factoryReset, poweredOff }]);
