import { messagesIn } from '../core/message.ts';

/** Messages to requests of virtual robots. */
export const say = messagesIn({
  en: {
    realRobot: 'A real robot is connected. Disconnect it first.',
    noRobots: 'This server runs no virtual robots.',
    noBroker: 'This server has no message broker, so no robot can connect.',
    full: 'The limit of virtual robots on this server is reached. Try again later.',
    share: (count: number) => `You run ${count} virtual robots, as many as one person may. Stop one of them first.`,
  },
  fr: {
    realRobot: 'Un vrai robot est connecté. Déconnectez-le d’abord.',
    noRobots: 'Ce serveur n’a pas de robots virtuels.',
    noBroker: 'Ce serveur n’a pas de courtier de messages : aucun robot ne peut se connecter.',
    full: 'Ce serveur a déjà autant de robots virtuels qu’il peut. Réessayez plus tard.',
    share: (count) => `Vous avez ${count} robots virtuels en marche, le maximum par personne. Arrêtez-en un d’abord.`,
  },
});
