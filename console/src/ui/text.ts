import { catalog } from './language.ts';

const words = {
  messages: ['Messages', 'Messages'],
  discard: ['Discard', 'Abandonner'],
  discardTitle: ['Discard your changes?', 'Abandonner vos modifications ?'],
  loading: ['Loading…', 'Chargement…'],
  tryAgain: ['Try again', 'Réessayer'],
  problem: ['This did not work', 'Cela n’a pas fonctionné'],
  reload: ['Reload the page', 'Recharger la page'],
  forReport: ['For a report to the developers', 'Pour un rapport aux développeurs'],
  missing: ['This does not exist, or was deleted.', 'Cet élément n’existe pas, ou a été supprimé.'],
  copied: ['Copied.', 'Copié.'],
  once: ['Copy it now: it is not shown again.', 'Copiez-le maintenant : il ne sera plus affiché.'],
  done: ['Done', 'Terminé'],
  selectAll: ['Select all', 'Tout sélectionner'],
  selectNone: ['Select none', 'Ne rien sélectionner'],
  asTable: ['Show as table', 'Afficher en tableau'],
  showPassword: ['Show password', 'Afficher le mot de passe'],
} as const;

const en = {
  discardHint: 'What you changed here and did not save is lost.',
  unexpected: 'There is an error in this page. Try again. If that does not help, reload it.',
  notLoaded: 'This page could not be loaded: the server cannot be reached, or has just been updated.',
  meanwhile: (name: string, value: string | null) =>
    `Meanwhile “${name}” was changed${value === null ? ' elsewhere' : ` to “${value}”`}. Saving replaces it.`,
  pair: (name: string, value: string) => `${name}: ${value}`,
  select: (name: string) => `Select ${name}`,
  selected: (count: number) => `${count} selected`,
  sumsBy: (label: string, count: number) => `Sum up by ${label.toLowerCase()} (${count})`,
  copyByHand: 'It could not be copied: select it, and press Ctrl+C.',
  passwordHint: 'At least 8 characters. Four or five unrelated words are easy to remember.',
  passwordWarning: 'This is one of the first passwords that attackers try. Another one is safer.',
};

const fr: typeof en = {
  discardHint: 'Ce que vous avez modifié ici sans l’enregistrer sera perdu.',
  unexpected: 'Il y a une erreur dans cette page. Réessayez. Si cela ne suffit pas, rechargez-la.',
  notLoaded: 'Cette page n’a pas pu être chargée : le serveur est injoignable, ou vient d’être mis à jour.',
  meanwhile: (name, value) =>
    `« ${name} » a été modifié entre-temps${value === null ? '' : ` : « ${value} »`}. L’enregistrement le remplacera.`,
  pair: (name, value) => `${name} : ${value}`,
  select: (name) => `Sélectionner ${name}`,
  selected: (count) => (count < 2 ? `${count} sélectionné` : `${count} sélectionnés`),
  sumsBy: (label, count) => `Totaux : ${label.toLowerCase()} (${count})`,
  copyByHand: 'La copie a échoué : sélectionnez le texte et faites Ctrl+C.',
  passwordHint: 'Au moins 8 caractères. Quatre ou cinq mots sans rapport sont faciles à retenir.',
  passwordWarning: 'C’est l’un des premiers mots de passe que l’on essaie pour vous pirater. Un autre est plus sûr.',
};

export const uiText = catalog({ en, fr, words });
