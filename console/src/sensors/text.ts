import { catalog } from '../ui/language.ts';

const words = {
  title: ['Sensors', 'Capteurs'],
  sensor: ['Sensor', 'Capteur'],
  span: ['Span', 'Période'],
  spans: { day: ['Day', 'Jour'], week: ['Week', 'Semaine'], month: ['Month', 'Mois'], year: ['Year', 'Année'] },
  readNow: ['Read now', 'Lire maintenant'],
  csv: ['Download CSV', 'Télécharger CSV'],
  noValues: ['No readings in this span.', 'Aucune mesure dans cette période.'],
  readings: ['Readings', 'Mesures'],
  value: ['Value', 'Valeur'],
  place: ['Place (x, y, z)', 'Endroit (x, y, z)'],
  actions: ['Actions', 'Actions'],
  removeTitle: ['Delete this reading?', 'Supprimer cette mesure ?'],
  removeWord: ['Delete', 'Supprimer'],
  older: ['Show older ones', 'Montrer les plus anciennes'],
  none: ['No sensors yet', 'Pas encore de capteurs'],
  add: ['Add a sensor', 'Ajouter un capteur'],
  noReadings: ['Nothing was read yet.', 'Rien n’a encore été lu.'],
  howToRead: ['Press “Read now”.', '« Lire maintenant » le demande au robot.'],
} as const;

const en = {
  pin: (pin: number) => `Pin ${pin}`,
  readSentence: (name: string) => `Read ${name}`,
  chart: (name: string, min: string, max: string) => `${name}, between ${min} and ${max}`,
  remove: (time: string) => `Delete the reading of ${time}`,
  removeWarning: (value: number, time: string) => `${value}, read ${time}. This cannot be undone.`,
  noneHint: 'Add the sensors of your robot, and their readings appear here.',
  offline: 'The robot is not connected, so it cannot read now.',
};

const fr: typeof en = {
  pin: (pin) => `Broche ${pin}`,
  readSentence: (name) => `Lire ${name}`,
  chart: (name, min, max) => `${name}, entre ${min} et ${max}`,
  remove: (time) => `Supprimer la mesure du ${time}`,
  removeWarning: (value, time) => `${value}, lue le ${time}. C’est irréversible.`,
  noneHint: 'Ajoutez les capteurs de votre robot, et leurs mesures apparaissent ici.',
  offline: 'Le robot n’est pas connecté, il ne peut donc pas lire maintenant.',
};

export const sensorsText = catalog({ en, fr, words });
