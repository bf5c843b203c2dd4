import { catalog } from '../ui/language.ts';

const words = {
  stop: ['Stop', 'Arrêt'],
  stopNow: ['Emergency stop', 'Arrêt d’urgence'],
  everywhere: ['Everywhere', 'Partout'],
  dismiss: ['Dismiss', 'Fermer'],
  again: ['Stop again', 'Arrêter à nouveau'],
  unlock: ['Unlock', 'Déverrouiller'],
  unlockTitle: ['Unlock the robot?', 'Déverrouiller le robot ?'],
  locked: ['The robot is locked after an emergency stop.', 'Le robot est verrouillé après un arrêt d’urgence.'],
  unlocking: ['Unlocking…', 'Déverrouillage…'],
  unlockFailed: ['The robot was not unlocked.', 'Le robot n’a pas été déverrouillé.'],
} as const;

const en = {
  stopHint: (key: string) => `Stops the robot at once, from any page: ${key}`,
  unlockWarning: 'It moves again with the next command. Make sure that its way is clear, and keep hands away.',
  sending: 'The stop is being sent. Waiting for the robot to confirm it…',
  confirmed: 'The robot has stopped. It is locked until you unlock it.',
  unconfirmed: 'The stop was sent, but the robot has not confirmed it. If it still moves, switch off its power.',
  unanswered:
    'Neither the server nor the robot has answered, so the stop may not have been sent. Press it again. If the robot still moves, switch off its power.',
  offline: 'No robot is connected, so none could confirm the stop. If it still moves, switch off its power.',
  failed: 'The stop was not sent. Press it again. If the robot still moves, switch off its power.',
  viewer: 'You can only look at this garden: viewers cannot stop its robot. Ask a gardener.',
};

const fr: typeof en = {
  stopHint: (key) => `Arrête le robot immédiatement, depuis toute page : ${key}`,
  unlockWarning: 'Il bougera à la prochaine commande. Vérifiez que la voie est libre, et gardez les mains à distance.',
  sending: 'L’ordre d’arrêt est en cours d’envoi. En attente de la confirmation du robot…',
  confirmed: 'Le robot s’est arrêté. Il reste verrouillé jusqu’à ce que vous le déverrouilliez.',
  unconfirmed: 'L’arrêt a été envoyé, mais le robot ne l’a pas confirmé. S’il bouge encore, coupez son alimentation.',
  unanswered:
    'Ni le serveur ni le robot n’ont répondu : l’arrêt n’a peut-être pas été envoyé. Réessayez. Si le robot bouge encore, coupez son alimentation.',
  offline:
    'Aucun robot n’est connecté, donc aucun n’a pu confirmer l’arrêt. S’il bouge encore, coupez son alimentation.',
  failed: 'L’arrêt n’a pas été envoyé. Réessayez. Si le robot bouge encore, coupez son alimentation.',
  viewer:
    'Vous pouvez seulement regarder ce jardin : les lecteurs ne peuvent pas arrêter le robot. Demandez à un jardinier.',
};

export const stopText = catalog({ en, fr, words });
