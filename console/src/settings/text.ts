import { catalog } from '../ui/language.ts';

export const settingsWords = {
  title: ['Settings', 'Réglages'],
  find: ['Find a setting', 'Rechercher un réglage'],
  changedOnly: ['Only changed ones', 'Seulement ceux qui ont changé'],
  isChanged: ['Changed', 'Modifié'],
  unsaved: ['Not saved yet', 'Pas encore enregistré'],
  discard: ['Discard', 'Abandonner'],
  nothing: ['No setting matches.', 'Aucun réglage ne correspond.'],
  other: ['Other', 'Autres'],
  export: ['Export settings', 'Exporter les réglages'],
  import: ['Import settings', 'Importer des réglages'],
  noSettings: ['This file has no settings of this garden.', 'Ce fichier ne contient aucun réglage de ce jardin.'],
  sameSettings: ['All settings are as in this file already.', 'Tous les réglages sont déjà ceux de ce fichier.'],
  yes: ['on', 'activé'],
  no: ['off', 'désactivé'],
  empty: ['empty', 'vide'],
  appearance: ['This browser', 'Ce navigateur'],
  language: ['Language', 'Langue'],
  theme: ['Theme', 'Thème'],
  system: ['As the system', 'Comme le système'],
  light: ['Light', 'Clair'],
  dark: ['Dark', 'Sombre'],
} as const;

const en = {
  parts: { garden: 'Garden', os: 'Robot software', firmware: 'Firmware', map: 'Map, language, theme' },
  default: (value: string) => `Default: ${value}`,
  discardOf: (name: string) => `Discard what was typed for “${name}”`,
  changedElsewhere: (value: string) => `Meanwhile changed elsewhere to: ${value}.`,
  reset: (name: string) => `Reset “${name}” to its default`,
  saved: (name: string) => `“${name}” was saved.`,
  range: (least: number, most: number) => `From ${least} to ${most}.`,
  groupOf: (part: string, group: string) => `${part}: ${group}`,
  imported: (count: number) => (count === 1 ? '1 setting was imported.' : `${count} settings were imported.`),
  vendorOnly: 'Used by the vendor’s web app, not by this console.',
  install: 'Your browser’s menu can install Potager as an app.',
  installNeedsHttps: 'To install Potager as an app, open it with https: browsers allow it nowhere else.',
};

const fr: typeof en = {
  parts: { garden: 'Jardin', os: 'Logiciel du robot', firmware: 'Micrologiciel', map: 'Plan, langue, thème' },
  default: (value) => `Par défaut : ${value}`,
  discardOf: (name) => `Abandonner ce qui a été saisi pour « ${name} »`,
  changedElsewhere: (value) => `Modifié ailleurs entre-temps : ${value}.`,
  reset: (name) => `Remettre « ${name} » à sa valeur par défaut`,
  saved: (name) => `« ${name} » a été enregistré.`,
  range: (least, most) => `De ${least} à ${most}.`,
  groupOf: (part, group) => `${part} : ${group}`,
  imported: (count) => (count === 1 ? '1 réglage a été importé.' : `${count} réglages ont été importés.`),
  vendorOnly: 'Sert à l’application du fabricant, pas à cette console.',
  install: 'Le menu de votre navigateur permet d’installer Potager comme application.',
  installNeedsHttps:
    'Pour installer Potager comme application, ouvrez-le en https : les navigateurs ne le permettent pas autrement.',
};

export const settingsText = catalog({ en, fr, words: settingsWords });
