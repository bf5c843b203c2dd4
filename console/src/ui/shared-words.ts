const en = {
  save: 'Save',
  delete: 'Delete',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Back to the list',
  copy: 'Copy',
  download: 'Download',
  noMatch: 'Nothing matches.',
  time: 'Time',
  toMap: 'To the map',
};

const fr: typeof en = {
  save: 'Enregistrer',
  delete: 'Supprimer',
  cancel: 'Annuler',
  close: 'Fermer',
  back: 'Retour à la liste',
  copy: 'Copier',
  download: 'Télécharger',
  noMatch: 'Aucun résultat.',
  time: 'Heure',
  toMap: 'Vers le plan',
};

/** Words that all catalogs have. */
export const sharedWords = { en, fr };
