import { expect, it } from 'vitest';
import { frenchSpaces } from '../core/french-spaces.ts';
import { logMessage } from './log-messages.ts';

it.each([
  ['Moved to (1, 2, 3).', 'Arrivé en (1, 2, 3).'],
  [
    'There are 1800 points of at most 2000. Please delete some that you do not need.',
    'Il y a 1800 points sur 2000 au plus. Supprimez ceux dont vous n’avez pas besoin.',
  ],
  [
    'There may be at most 1000 points. Please delete some that you do not need.',
    'Il peut y avoir au plus 1000 points. Supprimez ceux dont vous n’avez pas besoin.',
  ],
  ['The language model cannot be reached.', 'Le modèle de langage est injoignable.'],
  [
    'The disk of the server is almost full: it accepts no uploads, imports and backups at the moment. Ask the operator to free some space.',
    'Le disque du serveur est presque plein : aucun envoi, import ou sauvegarde pour le moment. Demandez à l’exploitant de faire de la place.',
  ],
  ['This account cannot do this: it may have no photos.', 'Ce compte ne peut pas avoir de photos.'],
  ['The history is full. (At most 200 MiB.)', 'L’historique est plein. (200 Mio au plus.)'],
  [
    'The account has too many photos. Delete some of them. (At most 3.)',
    'Le compte a trop de photos. Supprimez-en. (3 au plus.)',
  ],
  ['Step 1: Please pick a sequence for execute.', 'Étape 1 : Choisissez un programme pour « execute ».'],
  [
    'Step 2: "milliseconds" of wait must be a whole number, not the string "x".',
    'Étape 2 : « wait » : « milliseconds » doit être un nombre entier, pas le texte « x ».',
  ],
  [
    'Failed to run "A", scheduled for 8:00: No robot is connected.',
    '« A », prévu à 8:00, a échoué : Aucun robot n’est connecté.',
  ],
  ['The tool "Seeder" is mounted.', 'L’outil « Seeder » est monté.'],
  ['Dispensing 102 mL in 2.5 seconds.', '102 ml en 2.5 secondes.'],
  ['Started "point".', '« point » a commencé.'],
])('says a log in French: %s', (log, french) => {
  expect(logMessage(log)?.in('fr')).toBe(frenchSpaces(french));
});

it.each(['point', 'true', 'Started.', 'The soil is wet.'])('leaves the log of a robot as it is: %s', (log) => {
  expect(logMessage(log)).toBeNull();
});
