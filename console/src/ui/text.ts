import { catalog } from './language.ts';

const en = {
  messages: 'Messages',
  close: 'Close',
  cancel: 'Cancel',
  discard: 'Discard',
  discardTitle: 'Discard your changes?',
  discardHint: 'What you changed here and did not save is lost.',
  loading: 'Loading…',
  tryAgain: 'Try again',
  problem: 'This did not work',
  notLoaded: 'This page could not be loaded: the server cannot be reached, or has just been updated.',
  noMatch: 'Nothing matches.',
  copy: 'Copy',
  copied: 'Copied.',
  once: 'Copy it now: it is not shown again.',
  done: 'Done',
  asTable: 'Show as table',
  time: 'Time',
  passwordHint: 'At least 8 characters. Four or five unrelated words are easy to remember.',
  passwordWarning: 'This is one of the first passwords that attackers try. Another one is safer.',
  showPassword: 'Show password',
};

const fr: typeof en = {
  messages: 'Messages',
  close: 'Fermer',
  cancel: 'Annuler',
  discard: 'Abandonner',
  discardTitle: 'Abandonner vos modifications ?',
  discardHint: 'Ce que vous avez modifié ici sans l’enregistrer sera perdu.',
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  problem: 'Cela n’a pas fonctionné',
  notLoaded: 'Cette page n’a pas pu être chargée : le serveur est injoignable, ou vient d’être mis à jour.',
  noMatch: 'Aucun résultat.',
  copy: 'Copier',
  copied: 'Copié.',
  once: 'Copiez-le maintenant : il ne sera plus affiché.',
  done: 'Terminé',
  asTable: 'Afficher en tableau',
  time: 'Heure',
  passwordHint: 'Au moins 8 caractères. Quatre ou cinq mots sans rapport sont faciles à retenir.',
  passwordWarning: 'C’est l’un des premiers mots de passe que l’on essaie pour vous pirater. Un autre est plus sûr.',
  showPassword: 'Afficher le mot de passe',
};

export const uiText = catalog({ en, fr });
