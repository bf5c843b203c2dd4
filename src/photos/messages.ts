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
    cutJpeg: ['The JPEG is incomplete: its end is missing.', 'Le JPEG est incomplet : la fin manque.'],
  },
  en: {
    malformedForm: 'The body must be a form (multipart/form-data) with a key and a file.',
    fileTooLarge: (bytes: number) => `The file is too large (at most ${bytes} bytes).`,
    manyPixels: (megapixels: number, side: number) =>
      `The picture is too large (at most ${megapixels} megapixels, and ${side} pixels a side).`,
    deadKey: 'The upload key was not issued by this server, has expired, or was used: its photo has been created.',
    unreachable: 'The photo storage cannot be reached. Please try again later.',
  },
  fr: {
    malformedForm: 'La requête doit être un formulaire (multipart/form-data) avec une clé et un fichier.',
    fileTooLarge: (bytes) => `Le fichier est trop grand (au plus ${bytes} octets).`,
    manyPixels: (megapixels, side) =>
      `L’image est trop grande (au plus ${megapixels} mégapixels, et ${side} pixels de côté).`,
    deadKey: 'La clé d’envoi n’est pas de ce serveur, a expiré, ou a servi.',
    unreachable: 'Le stockage des photos est injoignable. Réessayez plus tard.',
  },
});
