/** Why no photo is accepted, in French, for notices and the console. */
export const fullInFrench = {
  disk: 'Le disque du serveur est presque plein : aucun envoi, import ou sauvegarde pour le moment. Demandez à l’exploitant de faire de la place.',
  photo_bytes: 'Le stockage des photos est plein. Supprimez des photos, ou demandez plus de place à l’exploitant.',
  photos: 'Le compte a trop de photos. Supprimez-en.',
} as const;
