import { catalog } from '../ui/language.ts';

const words = {
  slider: ['Date', 'Date'],
  bar: ['The garden over time', 'Le jardin dans le temps'],
  play: ['Play', 'Lire'],
  pause: ['Pause', 'Pause'],
  today: ['Today', 'Aujourd’hui'],
  close: ['Close the slider', 'Fermer la frise'],
  readOnlyToday: [
    'This is the garden of today. Close the slider to change it.',
    'C’est le jardin d’aujourd’hui. Fermez la frise pour le modifier.',
  ],
  states: {
    planned: ['planned', 'prévu'],
    growing: ['growing', 'en croissance'],
    ripe: ['ripe', 'à récolter'],
    harvested: ['harvested', 'récolté'],
  },
  readOnly: [
    'This garden cannot be changed. Close the slider to change today’s.',
    'Ce jardin ne peut pas être modifié. Fermez la frise pour modifier celui d’aujourd’hui.',
  ],
  nothing: ['Nothing grows.', 'Rien ne pousse.'],
  keys: [
    'Arrow keys: a day. Page up and down: a month. Home and End: the beginning and the end.',
    'Flèches : un jour. Page haut et bas : un mois. Début et Fin : le début et la fin.',
  ],
} as const;

const en = {
  plants: (count: number) => (count === 1 ? '1 plant' : `${count} plants`),
  ripe: (count: number) => `${count} ripe`,
  planned: (count: number) => `${count} planned`,
  pointThen: (state: string | null, width: number) => `: ${state ? `${state}, ` : ''}${width} mm across`,
  begins: (date: string) => `The history begins on ${date}.`,
  toSow: (names: readonly string[]) => `To be sown: ${names.join(', ')}`,
  indoors: (name: string) => `${name} (indoors)`,
  more: (count: number) => `${count} more`,
  events: {
    planted: (count: number) => `${count} planted`,
    removed: (count: number) => `${count} removed`,
    moved: (count: number) => `${count} moved`,
    ripe: (count: number) => (count === 1 ? '1 harvest begins' : `${count} harvests begin`),
    photos: (count: number) => (count === 1 ? '1 photo' : `${count} photos`),
    runs: (count: number) => (count === 1 ? '1 run' : `${count} runs`),
    waterings: (count: number) => (count === 1 ? '1 watering' : `${count} waterings`),
  },
};

const fr: typeof en = {
  plants: (count) => (count < 2 ? `${count} plante` : `${count} plantes`),
  ripe: (count) => `${count} à récolter`,
  planned: (count) => (count < 2 ? `${count} prévue` : `${count} prévues`),
  pointThen: (state, width) => ` : ${state ? `${state}, ` : ''}${width} mm de large`,
  begins: (date) => `L’historique commence le ${date}.`,
  toSow: (names) => `À semer : ${names.join(', ')}`,
  indoors: (name) => `${name} (à l’intérieur)`,
  more: (count) => `${count} de plus`,
  events: {
    planted: (count) => (count < 2 ? `${count} plantée` : `${count} plantées`),
    removed: (count) => (count < 2 ? `${count} retirée` : `${count} retirées`),
    moved: (count) => (count < 2 ? `${count} déplacée` : `${count} déplacées`),
    ripe: (count) => (count < 2 ? `${count} récolte commence` : `${count} récoltes commencent`),
    photos: (count) => (count < 2 ? `${count} photo` : `${count} photos`),
    runs: (count) => (count < 2 ? `${count} exécution` : `${count} exécutions`),
    waterings: (count) => (count < 2 ? `${count} arrosage` : `${count} arrosages`),
  },
};

export const timeText = catalog({ en, fr, words });
