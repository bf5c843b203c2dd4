import { catalog } from '../ui/language.ts';

const words = {
  search: ['Search', 'Rechercher'],
  title: ['Search and commands', 'Recherche et commandes'],
  hint: ['A page, a name, or what to do', 'Une page, un nom ou une action'],
  results: ['Results', 'Résultats'],
  reading: ['Names are being read…', 'Lecture des noms…'],
  page: ['Page', 'Page'],
  command: ['Command', 'Commande'],
  addPlant: ['Add a plant', 'Ajouter une plante'],
  takePhoto: ['Take a photo', 'Prendre une photo'],
  goHome: ['Send the robot home', 'Envoyer le robot à l’origine'],
  shortcuts: ['Keyboard shortcuts', 'Raccourcis clavier'],
  toMessages: ['To the messages, and back', 'Aller aux messages, et en revenir'],
} as const;

const en = {
  inSettings: (typed: string) => `Find “${typed}” in the settings`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  incomplete: 'Some names could not be read, so they are not found now.',
};

const fr: typeof en = {
  inSettings: (typed) => `Chercher « ${typed} » dans les réglages`,
  found: (count) => (count < 2 ? `${count} résultat` : `${count} résultats`),
  incomplete: 'Certains noms n’ont pas pu être lus : ils sont introuvables pour l’instant.',
};

export const searchText = catalog({ en, fr, words });
