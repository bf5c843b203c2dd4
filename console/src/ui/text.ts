import { catalog } from './language.ts';

const en = {
  messages: 'Messages',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading…',
  tryAgain: 'Try again',
  problem: 'This did not work',
  noMatch: 'Nothing matches.',
};

const fr: typeof en = {
  messages: 'Messages',
  close: 'Fermer',
  cancel: 'Annuler',
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  problem: 'Cela n’a pas fonctionné',
  noMatch: 'Aucun résultat.',
};

export const uiText = catalog({ en, fr });
