import { catalog } from '../ui/language.ts';

const en = {
  undo: 'Undo',
  unreachable: 'The server cannot be reached.',
};

const fr: typeof en = {
  undo: 'Annuler',
  unreachable: 'Le serveur est injoignable.',
};

export const dataText = catalog({ en, fr });
