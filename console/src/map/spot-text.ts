import { catalog } from '../ui/language.ts';

const words = {
  notMeasured: ['not measured yet', 'pas encore mesurée'],
  noPhotos: ['No photo shows this spot yet.', 'Aucune photo ne montre encore cet endroit.'],
  film: ['Photos over time', 'Photos dans le temps'],
  playFilm: ['Play the photos', 'Faire défiler les photos'],
  pauseFilm: ['Pause', 'Pause'],
} as const;

const en = {
  noReadings: (reach: number) => `No sensor was read within ${reach} mm.`,
  away: (distance: number) => (distance === 0 ? 'here' : `${distance} mm away`),
  photosOf: (count: number) => (count === 1 ? '1 photo of this spot' : `${count} photos of this spot`),
  photoFrom: (time: string) => `Photo of ${time}`,
};

const fr: typeof en = {
  noReadings: (reach) => `Aucun capteur n’a été lu à moins de ${reach} mm.`,
  away: (distance) => (distance === 0 ? 'ici' : `à ${distance} mm`),
  photosOf: (count) => (count === 1 ? '1 photo de cet endroit' : `${count} photos de cet endroit`),
  photoFrom: (time) => `Photo du ${time}`,
};

export const spotText = catalog({ en, fr, words });
