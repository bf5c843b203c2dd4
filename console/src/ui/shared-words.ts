/** Words that all catalogs have. */
export const sharedWords = {
  save: ['Save', 'Enregistrer'],
  delete: ['Delete', 'Supprimer'],
  cancel: ['Cancel', 'Annuler'],
  close: ['Close', 'Fermer'],
  back: ['Back to the list', 'Retour à la liste'],
  copy: ['Copy', 'Copier'],
  download: ['Download', 'Télécharger'],
  noMatch: ['Nothing matches.', 'Aucun résultat.'],
  time: ['Time', 'Heure'],
  toMap: ['To the map', 'Vers le plan'],
} as const;
