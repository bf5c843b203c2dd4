import { messagesIn } from '../core/message.ts';

/** Messages of the API about sequences, regimens, farm events, shared versions and requests to robots. */
export const say = messagesIn({
  pairs: {
    noSequenceObject: ['Sequence must be an object.', 'Le programme doit être un objet.'],
    robotStart: ['the start of the robot', 'le démarrage du robot'],
    noItem: ['Each item must be an object.', 'Chaque élément doit être un objet.'],
    nothingToRun: ['Choose a program or a regimen.', 'Choisissez un programme ou un régime.'],
    noEnd: ['End Time is required for an event that repeats.', 'Un événement qui se répète doit avoir une fin.'],
    earlyEnd: ['End Time must not be before the start.', 'La fin ne doit pas être avant le début.'],
    withdrawn: ['This version is no longer shared by its author.', 'L’auteur ne partage plus cette version.'],
    noProgram: [
      'Program must be a node, or an object with a `sequence_id`.',
      'Le programme doit être un nœud, ou un objet avec un `sequence_id`.',
    ],
    noBoard: ['Choose the board of the robot first.', 'Choisissez d’abord la carte du robot.'],
    noSteps: ['Program must have at least one step.', 'Le programme doit avoir au moins une étape.'],
  },
  en: {
    // Sequences
    maxSteps: (max: number, count: number) => `A program may have at most ${max} steps, not ${count}.`,
    maxSequences: (max: number) => `There may be at most ${max} programs. Delete one that you no longer need.`,
    sequenceInUse: (users: string) => `This program is still in use by ${users}.`,
    // Uses of a record
    and: (users: readonly string[]) => users.join(' and '),
    farmEvents: (count: number, dates: readonly string[]) =>
      `the scheduled event${count === 1 ? '' : 's'} of ${dates.join(', ')}`,
    regimens: (count: number, names: readonly string[]) => `the regimen${count === 1 ? '' : 's'} ${names.join(', ')}`,
    sequences: (count: number, names: readonly string[]) => `the program${count === 1 ? '' : 's'} ${names.join(', ')}`,
    pinBindings: (count: number, pins: readonly string[]) =>
      `${count === 1 ? 'the button on pin' : 'the buttons on pins'} ${pins.join(', ')}`,
    quoted: (name: string) => `'${name}'`,
    withId: (id: number) => `with the ID ${id}`,
    date: (month: string, day: string, year: string) => `${month}/${day}${year}`,
    more: (count: number) => `${count} more`,
    // Regimens
    maxItems: (field: string, max: number) => `${field} may be at most ${max}.`,
    noSequence: (_id: number, _offset: number) => 'One of the programs of this regimen does not exist any more.',
    regimenInUse: (users: string) => `This regimen is still in use by ${users}.`,
    // Farm events
    notOwn: (_kind: string, _id: number) => 'What this event runs does not exist any more: choose something else.',
    earlyStart: (years: number) => `Start Time is too far in the past (${years} years at most).`,
    lateEnd: (years: number) => `End Time is too far in the future (${years} years at most).`,
    lateEvent: (years: number) => `An event may be at most ${years} years ahead.`,
    frequent: (count: number, max: number) =>
      `This event would occur ${count} times. At most ${max} are allowed: choose a longer interval or an earlier end.`,
    after: (field: string, earlier: string) => `${field} must be after ${earlier}.`,
    longSpan: (days: number) => `To must be at most ${days} days after From.`,
    manyOccurrences: (max: number) => `There are more than ${max} occurrences: choose a shorter span.`,
    // Shared versions
    unpublishable: (parts: string) => `These parts of a program cannot be published: ${parts}.`,
    noAuthor: 'Only programs of an account with a user can be published.',
    demoAuthor: 'Demo accounts cannot publish. Create an account first.',
    // Requests to robots
    noParameters: '`parameters` must be an object with the values of variables by name.',
    largeRequest: (kib: number) => `Program is too large: as JSON it has at most ${kib} KiB.`,
  },
  fr: {
    maxSteps: (max, count) => `Un programme peut avoir au plus ${max} étapes, pas ${count}.`,
    maxSequences: (max) => `Il peut y avoir au plus ${max} programmes. Supprimez-en un qui ne sert plus.`,
    sequenceInUse: (users) => `Ce programme sert encore à : ${users}.`,
    and: (users) => users.join(' et '),
    farmEvents: (count, dates) =>
      `${count === 1 ? 'l’événement planifié du' : 'les événements planifiés des'} ${dates.join(', ')}`,
    regimens: (count, names) => `${count === 1 ? 'le régime' : 'les régimes'} ${names.join(', ')}`,
    sequences: (count, names) => `${count === 1 ? 'le programme' : 'les programmes'} ${names.join(', ')}`,
    pinBindings: (count, pins) =>
      `${count === 1 ? 'le bouton de la broche' : 'les boutons des broches'} ${pins.join(', ')}`,
    quoted: (name) => `« ${name} »`,
    withId: (id) => `numéro ${id}`,
    date: (month, day, year) => `${day}/${month}${year}`,
    more: (count) => (count === 1 ? '1 autre' : `${count} autres`),
    maxItems: (field, max) => `« ${field} » doit valoir au plus ${max}.`,
    noSequence: () => 'Un des programmes de ce régime n’existe plus.',
    regimenInUse: (users) => `Ce régime sert encore à : ${users}.`,
    notOwn: () => 'Ce que cet événement exécute n’existe plus : choisissez autre chose.',
    earlyStart: (years) => `Le début est trop loin dans le passé (${years} ans au plus).`,
    lateEnd: (years) => `La fin est trop loin dans l’avenir (${years} ans au plus).`,
    lateEvent: (years) => `Un événement peut être au plus ${years} ans à l’avance.`,
    frequent: (count, max) =>
      `Cet événement aurait lieu ${count} fois. Le maximum est de ${max} : choisissez un intervalle plus long ou une fin plus proche.`,
    after: (field, earlier) => `« ${field} » doit être après « ${earlier} ».`,
    longSpan: (days) => `La période peut durer au plus ${days} jours.`,
    manyOccurrences: (max) => `Il y a plus de ${max} exécutions : choisissez une période plus courte.`,
    unpublishable: (parts) => `Ces parties d’un programme ne peuvent pas être publiées : ${parts}.`,
    noAuthor: 'Seuls les programmes d’un compte avec une personne peuvent être publiés.',
    demoAuthor: 'Un compte de démonstration ne peut pas publier. Créez d’abord un compte.',
    noParameters: 'Les valeurs des variables ne sont pas valides.',
    largeRequest: (kib) => `Le programme est trop grand : au plus ${kib} Kio.`,
  },
  api: {
    maxSteps: (max, count) => `A sequence may have at most ${max} steps, not ${count}.`,
    maxSequences: (max) => `There may be at most ${max} sequences. Delete one that you no longer need.`,
    sequenceInUse: (users) => `Sequence is still in use by ${users}.`,
    farmEvents: (count, dates) => `the farm event${count === 1 ? '' : 's'} of ${dates.join(', ')}`,
    sequences: (count, names) => `the sequence${count === 1 ? '' : 's'} ${names.join(', ')}`,
    pinBindings: (count, pins) =>
      `${count === 1 ? 'the pin binding of pin' : 'the pin bindings of pins'} ${pins.join(', ')}`,
    noSequence: (id, offset) => `There is no sequence with the ID ${id} (its item has the time offset ${offset}).`,
    nothingToRun: 'Choose a sequence or a regimen of your own for the event.',
    notOwn: (kind, id) => `There is no ${kind} with the ID ${id}: choose one of your own.`,
    noAuthor: 'Only sequences of an account with a user can be published.',
  },
});
