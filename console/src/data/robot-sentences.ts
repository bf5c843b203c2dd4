import type { Words } from './garden-sentences.ts';

/** Logs of virtual robots. */
export const robotSentences: Readonly<Record<string, Words>> = {
  'The virtual robot is ready.': 'Le robot virtuel est prêt.',
  'Restarting.': 'Redémarrage.',
  'The robot was powered off.': 'Le robot a été éteint.',
  'The robot was reset to factory settings.': 'Le robot a été remis à ses réglages d’usine.',
  'Emergency stop.': 'Arrêt d’urgence.',
  'Unlocked.': 'Déverrouillé.',
  'A virtual robot is always up to date.': 'Un robot virtuel est toujours à jour.',
  'A virtual robot has no {}: the step was skipped.':
    'Un robot virtuel n’a pas ce qu’il faut ({}) : l’étape a été sautée.',
  'Runs "{}", scheduled for {}.': '« {} » est exécuté comme prévu à {}.',
  'Skipped "{}", scheduled for {}: the robot was busy for too long.':
    '« {} », prévu à {}, a été sauté : le robot était occupé trop longtemps.',
  'Failed to run "{}", scheduled for {}: {}': '« {} », prévu à {}, a échoué : {}',
  'This virtual robot sends no requests to other servers: http returned nil.':
    'Ce robot virtuel n’envoie pas de requêtes à d’autres serveurs : http a renvoyé nil.',
  'Started "{}".': '« {} » a commencé.',
  '"{}", step {}: {}.': '« {} », étape {} : {}.',
  'Completed "{}".': '« {} » est terminé.',
  '{} is {}: "{}" is true, so it runs a sequence.': {
    en: '{} is {}: “{}” is true, so it runs a program.',
    fr: '{} : {}. « {} » est vrai, donc un programme est exécuté.',
  },
  '{} is {}: "{}" is true, so it continues.': '{} : {}. « {} » est vrai, donc le programme continue.',
  '{} is {}: "{}" is false, so it runs a sequence.': {
    en: '{} is {}: “{}” is false, so it runs a program.',
    fr: '{} : {}. « {} » est faux, donc un programme est exécuté.',
  },
  '{} is {}: "{}" is false, so it continues.': '{} : {}. « {} » est faux, donc le programme continue.',
  'The assertion passed: the program continues.': 'L’assertion est vérifiée : le programme continue.',
  'The assertion failed: the program continues.': 'L’assertion a échoué : le programme continue.',
  'The assertion failed: the program recovers and continues.':
    'L’assertion a échoué : le programme se rattrape et continue.',
  'The assertion failed: the program ends.': 'L’assertion a échoué : le programme se termine.',
  'The assertion failed: the program recovers and ends.':
    'L’assertion a échoué : le programme se rattrape et se termine.',
  'Moved to {}.': 'Arrivé en {}.',
  'Waited {} ms.': 'Attente de {} ms.',
  'Set {} to {}.': '{} : réglé à {}.',
  'Read {} from {}.': '{1} : {0} mesuré.',
  'Turned the servo on {} to {} degrees.': 'Servomoteur de {} : tourné à {} degrés.',
  'Made {} an {}.': '{} : maintenant {}.',
  'Changed {}: {}.': 'Modification de {} : {}.',
  'Took a photo.': 'Photo prise.',
  'The soil at {} was measured.': 'Le sol a été mesuré en {}.',
};
