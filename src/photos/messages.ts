import { messagesIn } from '../core/message.ts';

/** Messages of the API about photos and uploads. */
export const say = messagesIn({
  pairs: {
    uploadTooLarge: ['The upload is too large.', 'Le fichier est trop grand.'],
    longField: ['A field of the form is too long.', 'Un champ du formulaire est trop long.'],
    manyParts: ['The form has too many parts.', 'Le formulaire a trop de parties.'],
    noFile: ['The form must have a file.', 'Le fichier manque.'],
    noKey: ['The form must have a key.', 'La clé manque.'],
    noJpeg: ['The file is not a JPEG.', 'Le fichier n’est pas un JPEG.'],
    cutJpeg: ['Too little of the JPEG is there to be shown.', 'Il manque presque tout du JPEG.'],
    missing: ['A photo is missing.', 'Une photo manque.'],
    otherFormat: ['It is not a JPEG, PNG, GIF or WebP.', 'Ce n’est ni un JPEG, ni un PNG, un GIF ou un WebP.'],
    undecodable: ['It cannot be decoded.', 'Elle ne peut pas être lue.'],
    slowDecoding: ['It takes too long to be decoded.', 'Sa lecture prend trop de temps.'],
    notProcessed: ['The server failed to process it.', 'Le serveur n’a pas pu la traiter.'],
    noUpload: ['There is no such upload.', 'Elle n’a pas été envoyée.'],
    fullAccount: ['The storage for photos of the account is full.', 'Le jardin n’a plus de place pour des photos.'],
    demo: [
      'Photos of demo accounts are not fetched.',
      'Les photos des jardins de démonstration ne sont pas cherchées.',
    ],
  },
  en: {
    malformedForm: 'The body must be a form (multipart/form-data) with a key and a file.',
    fileTooLarge: (size: string) => `The file is too large (at most ${size}).`,
    manyPixels: (megapixels: number, side: number) =>
      `The picture is too large (at most ${megapixels} megapixels, and ${side} pixels a side).`,
    longSide: (pixels: number) => `A side has more than ${pixels} pixels.`,
    status: (status: number) => `Its address returned status ${status}.`,
    largePhoto: (size: string) => `It is larger than ${size}.`,
    deadKey: 'The upload key was not issued by this server, has expired, or was used: its photo has been created.',
    unreachable: 'The photo storage cannot be reached. Please try again later.',
  },
  fr: {
    malformedForm: 'La requête doit être un formulaire (multipart/form-data) avec une clé et un fichier.',
    fileTooLarge: (size) => `Le fichier est trop grand (au plus ${size}).`,
    manyPixels: (megapixels, side) =>
      `L’image est trop grande (au plus ${megapixels} mégapixels, et ${side} pixels de côté).`,
    longSide: (pixels) => `Un côté a plus de ${pixels} pixels.`,
    status: (status) => `Son adresse a répondu avec le statut ${status}.`,
    largePhoto: (size) => `Elle dépasse ${size}.`,
    deadKey: 'La clé d’envoi n’est pas de ce serveur, a expiré, ou a servi.',
    unreachable: 'Le stockage des photos est injoignable. Réessayez plus tard.',
  },
});
