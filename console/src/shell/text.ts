import { catalog } from '../ui/language.ts';

const words = {
  skip: ['Skip to content', 'Aller au contenu'],
  navigation: ['Pages', 'Pages'],
  more: ['More', 'Plus'],
  map: ['Map', 'Plan'],
  robot: ['Robot', 'Robot'],
  programs: ['Programs', 'Programmes'],
  logs: ['Logs', 'Journal'],
  sensors: ['Sensors', 'Capteurs'],
  schedule: ['Schedule', 'Calendrier'],
  regimens: ['Regimens', 'Régimes'],
  photos: ['Photos', 'Photos'],
  history: ['History', 'Historique'],
  things: ['Garden things', 'Éléments'],
  settings: ['Settings', 'Réglages'],
  server: ['Server', 'Serveur'],
  account: ['Account', 'Compte'],
  robotLocked: ['Stopped', 'Arrêté'],
  robotBusy: ['Busy', 'Occupé'],
  robotReady: ['Ready', 'Prêt'],
  robotAway: ['Robot offline', 'Robot hors ligne'],
  robotUnknown: ['No robot yet', 'Aucun robot'],
  connecting: ['Connecting…', 'Connexion…'],
  offline: ['Offline: what you see may be old', 'Hors ligne : ces données peuvent être anciennes'],
  signOut: ['Sign out', 'Se déconnecter'],
  notFound: ['Page not found', 'Page introuvable'],
  theme: ['Theme', 'Thème'],
  themeSystem: ['System', 'Système'],
  themeLight: ['Light', 'Clair'],
  themeDark: ['Dark', 'Sombre'],
  language: ['Language', 'Langue'],
  robotSetup: ['Set up a robot', 'Installer un robot'],
  docs: ['API', 'API'],
} as const;

const en = {
  since: (time: string) => `since ${time}`,
  viewer: 'View only: this garden is changed by its gardeners and owners.',
  notFoundHint: 'The address may be mistyped, or what was here was deleted.',
};

const fr: typeof en = {
  since: (time) => `depuis ${time}`,
  viewer: 'Lecture seule : ce jardin est modifié par ses jardiniers et ses propriétaires.',
  notFoundHint: 'L’adresse est peut-être erronée, ou ce qui était ici a été supprimé.',
};

export const shellText = catalog({ en, fr, words });
