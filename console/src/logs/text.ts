import { catalog } from '../ui/language.ts';

const words = {
  title: ['Logs', 'Journal'],
  kinds: ['Kinds', 'Types'],
  allKinds: ['All', 'Tous'],
  level: ['Detail', 'Détail'],
  text: ['Search in messages', 'Chercher dans les messages'],
  span: ['Time', 'Période'],
  older: ['Show older ones', 'Montrer les plus anciens'],
  list: ['Logs, the newest first', 'Messages, du plus récent au plus ancien'],
  none: ['No logs yet', 'Pas encore de messages'],
  noMatch: ['No log matches', 'Aucun message ne correspond'],
  noMatchHint: ['Choose other filters to see more.', 'Choisissez d’autres filtres pour en voir plus.'],
  clear: ['Clear filters', 'Effacer les filtres'],
  csv: ['CSV (table)', 'CSV (tableau)'],
  json: ['JSON', 'JSON'],
  remove: ['Delete all', 'Tout supprimer'],
  removeTitle: ['Delete all logs?', 'Supprimer tous les messages ?'],
  position: ['Position', 'Position'],
  verbosity: ['Verbosity', 'Verbosité'],
  channels: ['Also sent as', 'Aussi envoyé par'],
  version: ['Software', 'Logiciel'],
} as const;

const en = {
  filters: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
  levels: ['Everything', 'Important only', 'Important and normal'],
  spans: { all: 'All that is kept', hour: 'Last hour', day: 'Last day', week: 'Last week' },
  count: (shown: number, all: number) =>
    shown === all ? `${all} ${all === 1 ? 'log' : 'logs'}` : `${shown} of ${all} logs`,
  fresh: (count: number) => (count === 1 ? 'Show 1 new log' : `Show ${count} new logs`),
  noneHint: 'What the robot does and reports appears here at once.',
  stale: 'This page is not connected: new logs do not appear.',
  removeWarning: 'All logs of this garden are deleted, not only those that are shown. This cannot be undone.',
  details: (message: string) => `Details: ${message}`,
};

const fr: typeof en = {
  filters: (count) => (count === 0 ? 'Filtres' : `Filtres (${count})`),
  levels: ['Tout', 'Important seulement', 'Important et normal'],
  spans: { all: 'Tout ce qui est gardé', hour: 'Dernière heure', day: 'Dernier jour', week: 'Dernière semaine' },
  count: (shown, all) =>
    shown === all ? `${all} ${all < 2 ? 'message' : 'messages'}` : `${shown} messages sur ${all}`,
  fresh: (count) => (count === 1 ? 'Montrer 1 nouveau message' : `Montrer ${count} nouveaux messages`),
  noneHint: 'Ce que le robot fait et signale apparaît ici aussitôt.',
  stale: 'Cette page n’est pas connectée : les nouveaux messages n’apparaissent pas.',
  removeWarning:
    'Tous les messages de ce jardin sont supprimés, pas seulement ceux qui sont affichés. C’est irréversible.',
  details: (message) => `Détails : ${message}`,
};

export const logsText = catalog({ en, fr, words });
