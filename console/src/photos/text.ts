import { catalog } from '../ui/language.ts';

const words = {
  title: ['Photos', 'Photos'],
  take: ['Take a photo', 'Prendre une photo'],
  empty: ['No photos yet', 'Pas encore de photo'],
  processing: ['Being processed…', 'En traitement…'],
  unknown: ['This photo no longer exists.', 'Cette photo n’existe plus.'],
  select: ['Select', 'Sélectionner'],
  selectDay: ['Select this day', 'Sélectionner ce jour'],
  endSelecting: ['Done', 'Terminé'],
  previous: ['Newer photo', 'Photo plus récente'],
  next: ['Older photo', 'Photo plus ancienne'],
  zoomIn: ['Zoom in', 'Agrandir'],
  zoomOut: ['Zoom out', 'Réduire'],
  fit: ['Whole photo', 'Photo entière'],
  noPlace: ['Where it was taken is not known.', 'Le lieu de la prise de vue est inconnu.'],
  onMap: ['Show on the map', 'Voir sur le plan'],
  details: ['Details', 'Détails'],
  taken: ['Taken', 'Prise'],
  where: ['Where', 'Lieu'],
  processed: ['Processed', 'Traitée'],
  number: ['Number', 'Numéro'],
} as const;

const en = {
  taking: 'The robot takes a photo. It appears here when it arrives.',
  offline: 'The robot is not connected, so it cannot take a photo now.',
  emptyHint: 'Photos that the robot takes appear here by themselves. Take one now, or put the step into a program.',
  emptyViewer: 'Photos that the robot takes appear here by themselves.',
  photo: (when: string) => `Photo of ${when}`,
  photoAt: (when: string, place: string) => `Photo of ${when}, ${place}`,
  processingHint: 'This photo has not been processed yet. It appears here as soon as it is.',
  selected: (count: number) => (count === 1 ? '1 photo selected' : `${count} photos selected`),
  deleteTitle: (count: number) => (count === 1 ? 'Delete this photo?' : `Delete ${count} photos?`),
  deleteText: 'Their files are deleted at once, so photos cannot come back. The history cannot undo it either.',
  deleted: (count: number) => (count === 1 ? 'The photo was deleted.' : `${count} photos were deleted.`),
  place: (x: number, y: number, z: number | undefined) =>
    z === undefined ? `x ${x}, y ${y} mm` : `x ${x}, y ${y}, z ${z} mm`,
  of: (index: number, count: number) => `${index} of ${count}`,
};

const fr: typeof en = {
  taking: 'Le robot prend une photo. Elle apparaîtra ici dès son arrivée.',
  offline: 'Le robot n’est pas connecté, il ne peut donc pas prendre de photo maintenant.',
  emptyHint:
    'Les photos que prend le robot apparaissent ici d’elles-mêmes. Prenez-en une, ou ajoutez l’étape à un programme.',
  emptyViewer: 'Les photos que prend le robot apparaissent ici d’elles-mêmes.',
  photo: (when) => `Photo du ${when}`,
  photoAt: (when, place) => `Photo du ${when}, ${place}`,
  processingHint: 'Cette photo n’est pas encore traitée. Elle apparaîtra ici dès qu’elle le sera.',
  selected: (count) => (count <= 1 ? `${count} photo sélectionnée` : `${count} photos sélectionnées`),
  deleteTitle: (count) => (count === 1 ? 'Supprimer cette photo ?' : `Supprimer ${count} photos ?`),
  deleteText: 'Les fichiers sont supprimés aussitôt : les photos ne peuvent pas revenir, même par l’historique.',
  deleted: (count) => (count === 1 ? 'La photo a été supprimée.' : `${count} photos ont été supprimées.`),
  place: (x, y, z) => (z === undefined ? `x ${x}, y ${y} mm` : `x ${x}, y ${y}, z ${z} mm`),
  of: (index, count) => `${index} sur ${count}`,
};

export const photosText = catalog({ en, fr, words });
