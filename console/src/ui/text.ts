import { catalog } from './language.ts';

const en = {
  messages: 'Messages',
  discard: 'Discard',
  discardTitle: 'Discard your changes?',
  discardHint: 'What you changed here and did not save is lost.',
  loading: 'Loading…',
  tryAgain: 'Try again',
  problem: 'This did not work',
  unexpected: 'There is an error in this page. Try again. If that does not help, reload it.',
  reload: 'Reload the page',
  forReport: 'For a report to the developers',
  notLoaded: 'This page could not be loaded: the server cannot be reached, or has just been updated.',
  meanwhile: (name: string, value: string | null) =>
    `Meanwhile “${name}” was changed${value === null ? ' elsewhere' : ` to “${value}”`}. Saving replaces it.`,
  pair: (name: string, value: string) => `${name}: ${value}`,
  missing: 'This does not exist, or was deleted.',
  copied: 'Copied.',
  copyByHand: 'It could not be copied: select it, and press Ctrl+C.',
  once: 'Copy it now: it is not shown again.',
  done: 'Done',
  asTable: 'Show as table',
  passwordHint: 'At least 8 characters. Four or five unrelated words are easy to remember.',
  passwordWarning: 'This is one of the first passwords that attackers try. Another one is safer.',
  showPassword: 'Show password',
};

const fr: typeof en = {
  messages: 'Messages',
  discard: 'Abandonner',
  discardTitle: 'Abandonner vos modifications ?',
  discardHint: 'Ce que vous avez modifié ici sans l’enregistrer sera perdu.',
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  problem: 'Cela n’a pas fonctionné',
  unexpected: 'Il y a une erreur dans cette page. Réessayez. Si cela ne suffit pas, rechargez-la.',
  reload: 'Recharger la page',
  forReport: 'Pour un rapport aux développeurs',
  notLoaded: 'Cette page n’a pas pu être chargée : le serveur est injoignable, ou vient d’être mis à jour.',
  meanwhile: (name, value) =>
    `« ${name} » a été modifié entre-temps${value === null ? '' : ` : « ${value} »`}. L’enregistrement le remplacera.`,
  pair: (name, value) => `${name} : ${value}`,
  missing: 'Cet élément n’existe pas, ou a été supprimé.',
  copied: 'Copié.',
  copyByHand: 'La copie a échoué : sélectionnez le texte et faites Ctrl+C.',
  once: 'Copiez-le maintenant : il ne sera plus affiché.',
  done: 'Terminé',
  asTable: 'Afficher en tableau',
  passwordHint: 'Au moins 8 caractères. Quatre ou cinq mots sans rapport sont faciles à retenir.',
  passwordWarning: 'C’est l’un des premiers mots de passe que l’on essaie pour vous pirater. Un autre est plus sûr.',
  showPassword: 'Afficher le mot de passe',
};

export const uiText = catalog({ en, fr });
