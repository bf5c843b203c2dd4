import { messagesIn } from '../core/message.ts';

/** Messages of the HTTP layer. */
export const say = messagesIn({
  pairs: {
    virtualRobot: ['A virtual robot cannot do this.', 'Un robot virtuel ne peut pas faire cela.'],
    cutOff: ['The connection ended in the middle of the body.', 'La connexion a été coupée pendant l’envoi.'],
    answersTooLarge: ['The answers would be larger than 8 MiB.', 'Les réponses dépasseraient 8 Mio.'],
    partBody: ['The body must be a JSON object.', 'La requête doit être un objet JSON.'],
    part: ['A part is an object with `method` and `path`.', 'Une partie est un objet avec `method` et `path`.'],
    partPath: ['Path must be text that begins with `/api/`.', '`path` doit être un texte qui commence par `/api/`.'],
  },
  en: {
    administratorsOnly: 'Only administrators of this server can do this, signed in as a person.',
    temporaryToken: 'A temporary token cannot do this. Use the token of your session.',
    disk: 'The server cannot use its disk at the moment. Please try again later.',
    unknownError: (id: string) => `Something went wrong on the server (${id}).`,
    batchBody: (maxParts: number) => `The request body must be a JSON array of 1 to ${maxParts} requests.`,
    partNotFound: (name: string) => `${name} was not found.`,
    notPart: (name: string) => `${name} cannot be part of a batch.`,
    ofPart: (_number: number, _name: string, sentence: string) => sentence,
    reference: 'A reference is the number of an earlier part and a field of its answer, such as "1.id".',
    noEarlierPart: (reference: string) => `${reference} does not refer to an earlier part.`,
    notScalar: (reference: string, length: number) =>
      `${reference} is not a number, a truth value, null or a text of at most ${length} characters.`,
  },
  fr: {
    administratorsOnly: 'Seuls les administrateurs de ce serveur peuvent faire cela.',
    temporaryToken: 'Un jeton temporaire ne peut pas faire cela. Utilisez celui de votre session.',
    disk: 'Le serveur ne peut pas utiliser son disque en ce moment. Réessayez plus tard.',
    unknownError: (id) => `Une erreur s’est produite sur le serveur (${id}).`,
    batchBody: (maxParts) => `La requête doit être une liste de 1 à ${maxParts} requêtes.`,
    partNotFound: (name) => `Introuvable : ${name}.`,
    notPart: (name) => `${name} ne peut pas faire partie d’un lot.`,
    ofPart: (_number, _name, sentence) => sentence,
    reference: 'Une référence est le numéro d’une partie précédente et un champ de sa réponse, comme « 1.id ».',
    noEarlierPart: (reference) => `${reference} ne désigne pas une partie précédente.`,
    notScalar: (reference, length) =>
      `${reference} n’est ni un nombre, ni vrai ou faux, ni null, ni un texte d’au plus ${length} caractères.`,
  },
  api: {
    ofPart: (number, name, sentence) => `Part ${number} (${name}): ${sentence}`,
  },
});
