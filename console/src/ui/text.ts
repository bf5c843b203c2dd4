import { catalog } from './language.ts';

const en = {
  messages: 'Messages',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading…',
  tryAgain: 'Try again',
  problem: 'This did not work',
  noMatch: 'Nothing matches.',
  copy: 'Copy',
  copied: 'Copied.',
  once: 'Copy it now: it is not shown again.',
  done: 'Done',
};

const fr: typeof en = {
  messages: 'Messages',
  close: 'Fermer',
  cancel: 'Annuler',
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  problem: 'Cela n’a pas fonctionné',
  noMatch: 'Aucun résultat.',
  copy: 'Copier',
  copied: 'Copié.',
  once: 'Copiez-le maintenant : il ne sera plus affiché.',
  done: 'Terminé',
};

export const uiText = catalog({ en, fr });
