import { messagesIn } from './message.ts';

/** The message of a disk that is almost full: for clients, which get no names of folders. */
export const sayOfDisk = messagesIn({
  en: {
    lowSpace:
      'The disk of the server is almost full: it accepts no uploads, imports and backups at the moment. Ask the operator to free some space.',
  },
  fr: {
    lowSpace:
      'Le disque du serveur est presque plein : aucun envoi, import ou sauvegarde pour le moment. Demandez à l’exploitant de faire de la place.',
  },
});
