import { catalog } from './language.ts';

const en = {
  messages: 'Messages',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading…',
  tryAgain: 'Try again',
  problem: 'This did not work',
};

const fr: typeof en = {
  messages: 'Messages',
  close: 'Fermer',
  cancel: 'Annuler',
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  problem: 'Cela n’a pas fonctionné',
};

export const uiText = catalog({ en, fr });
