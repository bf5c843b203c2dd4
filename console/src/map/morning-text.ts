import { catalog } from '../ui/language.ts';

const en = {
  title: 'Water every morning',
  how: 'Program',
  newProgram: (peripheral: string, seconds: number) =>
    `A new one: go there, open “${peripheral}” for ${seconds} seconds`,
  programName: (peripheral: string) => `Water with ${peripheral}`,
  groupName: (count: number, name: string) => `${count} × ${name}, watered every morning`,
  mixed: 'plants',
  until: 'Until',
  timeMissing: 'Choose a time.',
  dayMissing: 'Choose a day that is not over.',
  summary: (count: number, time: string, first: string, last: string, zone: string) =>
    `The robot waters ${count === 1 ? 'this plant' : `these ${count} plants`} every day at ${time} (${zone}), from ${first} to ${last}. The schedule shows it.`,
  scheduled: (count: number, name: string, time: string) =>
    `${count === 1 ? name : `${count} plants`}: watered every day at ${time}.`,
  show: 'Show the schedule',
  wateredBy: 'Watered by',
  scheduledWith: 'Scheduled:',
  nextRun: (at: string) => `next on ${at}`,
  inSchedule: 'in the schedule',
  schedule: 'Schedule it',
  noPlants: 'Choose plants on the map first.',
  noWater:
    'This garden has neither a program that waters one place nor a peripheral, such as a valve or a pump, that could be opened.',
  addPeripheral: 'Add a peripheral',
  setUp: 'Choose a kit or a virtual robot',
};

const fr: typeof en = {
  title: 'Arroser chaque matin',
  how: 'Programme',
  newProgram: (peripheral, seconds) => `Un nouveau : y aller, ouvrir « ${peripheral} » pendant ${seconds} secondes`,
  programName: (peripheral) => `Arroser avec ${peripheral}`,
  groupName: (count, name) => `${count} × ${name}, chaque matin`,
  mixed: 'plantes',
  until: 'Jusqu’au',
  timeMissing: 'Choisissez une heure.',
  dayMissing: 'Choisissez un jour qui n’est pas passé.',
  summary: (count, time, first, last, zone) =>
    `Le robot arrose ${count === 1 ? 'cette plante' : `ces ${count} plantes`} tous les jours à ${time} (${zone}), du ${first} au ${last}. Le calendrier le montre.`,
  scheduled: (count, name, time) => `${count === 1 ? name : `${count} plantes`} : arrosage tous les jours à ${time}.`,
  show: 'Voir le calendrier',
  wateredBy: 'Arrosage par',
  scheduledWith: 'Planifié :',
  nextRun: (at) => `prochaine fois le ${at}`,
  inSchedule: 'dans le calendrier',
  schedule: 'Planifier',
  noPlants: 'Choisissez d’abord des plantes sur le plan.',
  noWater: 'Ce jardin n’a ni programme qui arrose un endroit, ni périphérique à ouvrir, comme une vanne ou une pompe.',
  addPeripheral: 'Ajouter un périphérique',
  setUp: 'Choisir un kit ou un robot virtuel',
};

export const morningText = catalog({ en, fr });
