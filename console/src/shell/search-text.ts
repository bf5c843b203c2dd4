import { catalog } from '../ui/language.ts';

const en = {
  search: 'Search',
  title: 'Search and commands',
  hint: 'A page, a name, or what to do',
  results: 'Results',
  inSettings: (typed: string) => `Find “${typed}” in the settings`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  reading: 'Names are being read…',
  incomplete: 'Some names could not be read, so they are not found now.',
  page: 'Page',
  command: 'Command',
  addPlant: 'Add a plant',
  takePhoto: 'Take a photo',
  goHome: 'Send the robot home',
  shortcuts: 'Keyboard shortcuts',
  toMessages: 'To the messages, and back',
};

const fr: typeof en = {
  search: 'Rechercher',
  title: 'Recherche et commandes',
  hint: 'Une page, un nom ou une action',
  results: 'Résultats',
  inSettings: (typed) => `Chercher « ${typed} » dans les réglages`,
  found: (count) => (count < 2 ? `${count} résultat` : `${count} résultats`),
  reading: 'Lecture des noms…',
  incomplete: 'Certains noms n’ont pas pu être lus : ils sont introuvables pour l’instant.',
  page: 'Page',
  command: 'Commande',
  addPlant: 'Ajouter une plante',
  takePhoto: 'Prendre une photo',
  goHome: 'Envoyer le robot à l’origine',
  shortcuts: 'Raccourcis clavier',
  toMessages: 'Aller aux messages, et en revenir',
};

export const searchText = catalog({ en, fr });
