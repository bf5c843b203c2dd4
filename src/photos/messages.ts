import { messagesIn } from '../core/message.ts';

/** Messages of the API about photos and uploads. */
export const say = messagesIn({
  en: {
    malformedForm: 'The body must be a form (multipart/form-data) with a key and a file.',
    uploadTooLarge: 'The upload is too large.',
    longField: 'A field of the form is too long.',
    manyParts: 'The form has too many parts.',
    noFile: 'The form must have a file.',
    noKey: 'The form must have a key.',
    fileTooLarge: (bytes: number) => `The file is too large (at most ${bytes} bytes).`,
    noJpeg: 'The file is not a JPEG.',
    cutJpeg: 'The JPEG is incomplete: its end is missing.',
    manyPixels: (megapixels: number, side: number) =>
      `The picture is too large (at most ${megapixels} megapixels, and ${side} pixels a side).`,
    deadKey: 'The upload key was not issued by this server, has expired, or was used: its photo has been created.',
    unreachable: 'The photo storage cannot be reached. Please try again later.',
  },
  fr: {
    malformedForm: 'La requête doit être un formulaire (multipart/form-data) avec une clé et un fichier.',
    uploadTooLarge: 'Le fichier est trop grand.',
    longField: 'Un champ du formulaire est trop long.',
    manyParts: 'Le formulaire a trop de parties.',
    noFile: 'Le fichier manque.',
    noKey: 'La clé manque.',
    fileTooLarge: (bytes) => `Le fichier est trop grand (au plus ${bytes} octets).`,
    noJpeg: 'Le fichier n’est pas un JPEG.',
    cutJpeg: 'Le JPEG est incomplet : la fin manque.',
    manyPixels: (megapixels, side) =>
      `L’image est trop grande (au plus ${megapixels} mégapixels, et ${side} pixels de côté).`,
    deadKey: 'La clé d’envoi n’est pas de ce serveur, a expiré, ou a servi.',
    unreachable: 'Le stockage des photos est injoignable. Réessayez plus tard.',
  },
});
