import { messagesIn } from '../core/message.ts';

/** Messages of the history. */
export const say = messagesIn({
  pairs: {
    noChange: ['There is no such change.', 'Ce changement n’existe pas.'],
    noSpan: ['Send either request, from_id or since.', 'Choisissez ce qui doit être annulé.'],
    changeId: ['This must be the id of a change.', 'Cette valeur doit être le numéro d’un changement.'],
    request: ['This must be the `request` of a change.', 'Cette valeur doit être la requête d’un changement.'],
    unknownBefore: ['What it was before this change is not known.', 'L’état d’avant ce changement n’est pas connu.'],
  },
  en: {
    // Requests
    nothingChanged: 'The robot sent an old copy, which changed nothing: there is nothing to put back.',
    manyBytes: (size: number) => `These changes have more than ${size} MiB. Choose a shorter span.`,
    manyChanges: (count: number) => `These are more than ${count} changes. Choose a shorter span.`,
    time: (example: string) => `This must be a date and time, such as ${example}.`,
    oneOf: (values: string) => `This must be one of ${values}.`,
    actor: (kinds: string) => `This must be the id of a user, or one of ${kinds}.`,
    notReadable: 'Some of these changes are of records that you may not read.',
    notWritable: (resource: string) => `This needs the right to write ${resource}, which you do not have.`,
    notInHistory: (resource: string) => `${resource} is not in the history.`,
    // Obstacles
    numbered: (noun: string, id: number) => `${noun} ${id}`,
    named: (noun: string, id: number, name: string) => `${noun} ${id} (${name})`,
    notDeleted: (record: string) => `${record} cannot be deleted.`,
    filesDeleted: (record: string) => `${record} cannot return: its files were deleted.`,
    cannotReturn: (record: string) => `${record} cannot return.`,
    processed: 'Photos cannot be put back to what they were before their files were processed.',
    cannotRevert: (record: string, reason: string) => `${record} cannot be put back: ${reason}`,
    changedSince: (record: string) => `${record} changed since.`,
    problem: (record: string, problems: string) => `${record}: ${problems}`,
  },
  fr: {
    numbered: (noun, id) => `${noun} ${id}`,
    named: (noun, id, name) => `${noun} ${id} (${name})`,
    nothingChanged: 'Le robot a envoyé une ancienne copie, qui n’a rien changé : il n’y a rien à annuler.',
    manyBytes: (size) => `Ces changements dépassent ${size} Mio. Choisissez une période plus courte.`,
    manyChanges: (count) => `Il y a plus de ${count} changements. Choisissez une période plus courte.`,
    time: (example) => `Cette valeur doit être une date et une heure, comme ${example}.`,
    oneOf: (values) => `Choisissez une de ces valeurs : ${values}.`,
    actor: (kinds) => `Choisissez une personne, ou une de ces valeurs : ${kinds}.`,
    notReadable: 'Certains de ces changements concernent ce que vous n’avez pas le droit de lire.',
    notWritable: () => 'Votre rôle dans ce jardin ne permet pas cela.',
    notInHistory: (resource) => `${resource} n’est pas dans l’historique.`,
    notDeleted: (record) => `${record} ne peut pas être supprimé.`,
    filesDeleted: (record) => `${record} ne peut pas revenir : ses fichiers ont été supprimés.`,
    cannotReturn: (record) => `${record} ne peut pas revenir.`,
    processed: 'Les photos ne peuvent pas redevenir ce qu’elles étaient avant le traitement de leurs fichiers.',
    cannotRevert: (record, reason) => `${record} ne peut pas être rétabli : ${reason}`,
    changedSince: (record) => `${record} a changé depuis.`,
    problem: (record, problems) => `${record} : ${problems}`,
  },
  api: {
    changedSince: (record) => `${record} changed since. Send "force": true to put it back nevertheless.`,
  },
});
