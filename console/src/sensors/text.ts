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
  calibration: ['Readings in percent', 'Mesures en pour cent'],
  dry: ['It is in dry soil now', 'Il est en sol sec maintenant'],
  wet: ['It is in wet soil now', 'Il est en sol mouillé maintenant'],
  forget: ['Show them as they are read', 'Les montrer comme elles sont lues'],
  byHand: ['Type them', 'Les saisir'],
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
  calibrationHint:
    'Put the sensor into dry soil, press “Read now”, then the button for dry soil; do the same in wet soil.',
  calibrated: (dry: number, wet: number) => `${dry} is 0 % (dry), ${wet} is 100 % (wet).`,
  half: (dry: number | null, wet: number | null) =>
    dry === null ? `${wet} is wet; dry is missing.` : `${dry} is dry; wet is missing.`,
  calibratedNow: (name: string, value: number) => `“${name}” was calibrated: ${value}.`,
  forgotten: (name: string) => `“${name}” is no longer calibrated.`,
  readSentence: (name: string) => `Read ${name}`,
  chart: (name: string, min: string, max: string) => `${name}, between ${min} and ${max}`,
  remove: (time: string) => `Delete the reading of ${time}`,
  removeWarning: (value: string, time: string) => `${value}, read ${time}. This cannot be undone.`,
  noneHint: 'Add the sensors of your robot, and their readings appear here.',
  offline: 'The robot is not connected, so it cannot read now.',
};

const fr: typeof en = {
  pin: (pin) => `Broche ${pin}`,
  calibrationHint:
    'Placez le capteur en sol sec, appuyez sur « Lire maintenant », puis sur le bouton du sol sec ; de même en sol mouillé.',
  calibrated: (dry, wet) => `${dry} est 0 % (sec), ${wet} est 100 % (mouillé).`,
  half: (dry, wet) => (dry === null ? `${wet} est mouillé ; sec manque.` : `${dry} est sec ; mouillé manque.`),
  calibratedNow: (name, value) => `« ${name} » a été étalonné : ${value}.`,
  forgotten: (name) => `« ${name} » n’est plus étalonné.`,
  readSentence: (name) => `Lire ${name}`,
  chart: (name, min, max) => `${name}, entre ${min} et ${max}`,
  remove: (time) => `Supprimer la mesure du ${time}`,
  removeWarning: (value, time) => `${value}, lue le ${time}. C’est irréversible.`,
  noneHint: 'Ajoutez les capteurs de votre robot, et leurs mesures apparaissent ici.',
  offline: 'Le robot n’est pas connecté, il ne peut donc pas lire maintenant.',
};

export const sensorsText = catalog({ en, fr, words });
