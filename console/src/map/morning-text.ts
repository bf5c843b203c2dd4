import { catalog } from '../ui/language.ts';

const words = {
  title: ['Water every morning', 'Arroser chaque matin'],
  how: ['Program', 'Programme'],
  mixed: ['plants', 'plantes'],
  until: ['Until', 'Jusqu’au'],
  timeMissing: ['Choose a time.', 'Choisissez une heure.'],
  dayMissing: ['Choose a day that is not over.', 'Choisissez un jour qui n’est pas passé.'],
  show: ['Show the schedule', 'Voir le calendrier'],
  wateredBy: ['Watered by', 'Arrosage par'],
  scheduledWith: ['Scheduled:', 'Planifié :'],
  inSchedule: ['in the schedule', 'dans le calendrier'],
  schedule: ['Schedule it', 'Planifier'],
  noPlants: ['Choose plants on the map first.', 'Choisissez d’abord des plantes sur le plan.'],
  addPeripheral: ['Add a peripheral', 'Ajouter un périphérique'],
  setUp: ['Choose a kit or a virtual robot', 'Choisir un kit ou un robot virtuel'],
} as const;

const en = {
  newProgram: (peripheral: string, seconds: number) =>
    `A new one: go there, open “${peripheral}” for ${seconds} seconds`,
  programName: (peripheral: string) => `Water with ${peripheral}`,
  groupName: (count: number, name: string) => `${count} × ${name}, watered every morning`,
  summary: (count: number, time: string, first: string, last: string, zone: string) =>
    `The robot waters ${count === 1 ? 'this plant' : `these ${count} plants`} every day at ${time} (${zone}), from ${first} to ${last}. The schedule shows it.`,
  scheduled: (count: number, name: string, time: string) =>
    `${count === 1 ? name : `${count} plants`}: watered every day at ${time}.`,
  nextRun: (at: string) => `next on ${at}`,
  noWater:
    'This garden has neither a program that waters one place nor a peripheral, such as a valve or a pump, that could be opened.',
};

const fr: typeof en = {
  newProgram: (peripheral, seconds) => `Un nouveau : y aller, ouvrir « ${peripheral} » pendant ${seconds} secondes`,
  programName: (peripheral) => `Arroser avec ${peripheral}`,
  groupName: (count, name) => `${count} × ${name}, chaque matin`,
  summary: (count, time, first, last, zone) =>
    `Le robot arrose ${count === 1 ? 'cette plante' : `ces ${count} plantes`} tous les jours à ${time} (${zone}), du ${first} au ${last}. Le calendrier le montre.`,
  scheduled: (count, name, time) => `${count === 1 ? name : `${count} plantes`} : arrosage tous les jours à ${time}.`,
  nextRun: (at) => `prochaine fois le ${at}`,
  noWater: 'Ce jardin n’a ni programme qui arrose un endroit, ni périphérique à ouvrir, comme une vanne ou une pompe.',
};

export const morningText = catalog({ en, fr, words });
