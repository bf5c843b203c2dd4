import { catalog } from '../ui/language.ts';
import { measured } from '../ui/numbers.ts';

const words = {
  missing: ['It is not in the garden any more.', 'Il n’est plus dans le jardin.'],
  onMap: ['Show on the map', 'Voir sur le plan'],
  edit: ['Edit', 'Modifier'],
  growth: ['Growth', 'Croissance'],
  water: ['Water', 'Eau'],
  soil: ['Soil and moisture', 'Sol et humidité'],
  photos: ['Photos', 'Photos'],
  crop: ['About the crop', 'La culture'],
  neighbors: ['Neighbors', 'Voisins'],
  noNeighbors: ['No other crop grows nearby.', 'Aucune autre culture à proximité.'],
  neighborKinds: {
    good: ['does well beside it', 'se plaît à côté'],
    bad: ['does badly beside it', 's’entend mal avec'],
    neutral: ['nothing is said of the two', 'rien n’est dit des deux'],
  },
  neighborSource: [
    'Gardeners’ tradition; little of it has been measured.',
    'Tradition de jardiniers ; peu de choses en ont été mesurées.',
  ],
  ripe: ['Ready to harvest', 'Bon à récolter'],
  noWater: ['No watering in the schedule yet.', 'Pas encore d’arrosage dans le calendrier.'],
  family: ['Family', 'Famille'],
  sun: ['Light', 'Lumière'],
  suns: { full: ['full sun', 'plein soleil'], partial: ['half shade', 'mi-ombre'], shade: ['shade', 'ombre'] },
  depth: ['Sowing depth', 'Profondeur de semis'],
  germination: ['First shoots', 'Levée'],
  harvest: ['Harvest', 'Récolte'],
  spacing: ['Distance', 'Distance'],
  sowing: ['Sowing', 'Semis'],
  notSown: ['not grown in this climate', 'pas cultivé sous ce climat'],
  noLatitude: [
    'The garden has no place yet: choose it in the settings.',
    'Le jardin n’a pas encore de lieu : choisissez-le dans les réglages.',
  ],
  yield: ['Yield', 'Rendement'],
  groups: ['Groups', 'Groupes'],
  noGroup: ['This group does not exist any more.', 'Ce groupe n’existe plus.'],
  noMembers: ['Nothing belongs to it yet.', 'Rien n’y appartient encore.'],
  schedule: ['In the schedule', 'Dans le calendrier'],
  moisture: ['Moisture', 'Humidité'],
} as const;

/** The English words of the pages of plants and groups. */
const en = {
  planted: (days: number, date: string) =>
    days <= 0 ? `Planted today, ${date}.` : `Planted ${days} ${days === 1 ? 'day' : 'days'} ago, ${date}.`,
  planned: (date: string) => `To be planted on ${date}.`,
  found: (days: number) => (days <= 0 ? 'Found today.' : `Found ${days} ${days === 1 ? 'day' : 'days'} ago.`),
  harvestAbout: (date: string) => `Harvest about ${date}`,
  harvestUntil: (date: string) => `Until about ${date}.`,
  wide: (now: number, grown: number | null) =>
    grown === null || grown <= now
      ? `${measured(now)} mm wide`
      : `${measured(now)} mm wide, ${measured(grown)} mm when grown`,
  high: (now: number, grown: number | null) =>
    grown === null || grown <= now
      ? `${measured(now)} mm high`
      : `${measured(now)} mm high, ${measured(grown)} mm when grown`,
  watered: (count: number, last: string, liters: number | null) =>
    `Watered ${count === 1 ? 'once' : `${count} times`} by the schedule, last ${last}${liters === null ? '' : `, about ${measured(liters)} l`}.`,
  days: (min: number, max: number) => (min === max ? `${min} days` : `${min} to ${max} days`),
  millimeters: (plants: number, rows: number) => `${plants} mm in the row, ${rows} mm between rows`,
  grams: (min: number, max: number, per: 'plant' | 'meter') => {
    const amount = min === max ? measured(min / 1000) : `${measured(min / 1000)} to ${measured(max / 1000)}`;
    return `about ${amount} kg for ${per === 'plant' ? 'a plant' : 'a meter of row'}`;
  },
  months: (months: string, isIndoors: boolean) => (isIndoors ? `${months} indoors` : months),
  monthRange: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
  moistureNear: (newest: string, min: string, max: string) =>
    `Moisture near it: ${newest} now, between ${min} and ${max}. Waterings are marked.`,
  membersOf: (count: number) => (count === 1 ? '1 member' : `${count} members`),
};

/** The French words of the pages of plants and groups. */
const fr: typeof en = {
  planted: (days, date) =>
    days <= 0
      ? `Planté aujourd’hui, le ${date}.`
      : `Planté il y a ${days} ${days === 1 ? 'jour' : 'jours'}, le ${date}.`,
  planned: (date) => `À planter le ${date}.`,
  found: (days) => (days <= 0 ? 'Trouvée aujourd’hui.' : `Trouvée il y a ${days} ${days === 1 ? 'jour' : 'jours'}.`),
  harvestAbout: (date) => `Récolte vers le ${date}`,
  harvestUntil: (date) => `Jusque vers le ${date}.`,
  wide: (now, grown) =>
    grown === null || grown <= now
      ? `${measured(now)} mm de large`
      : `${measured(now)} mm de large, ${measured(grown)} mm adulte`,
  high: (now, grown) =>
    grown === null || grown <= now
      ? `${measured(now)} mm de haut`
      : `${measured(now)} mm de haut, ${measured(grown)} mm adulte`,
  watered: (count, last, liters) =>
    `Arrosé ${count === 1 ? 'une fois' : `${count} fois`} par le calendrier, la dernière fois le ${last}${liters === null ? '' : `, environ ${measured(liters)} l`}.`,
  days: (min, max) => (min === max ? `${min} jours` : `${min} à ${max} jours`),
  millimeters: (plants, rows) => `${plants} mm sur le rang, ${rows} mm entre les rangs`,
  grams: (min, max, per) => {
    const amount = min === max ? measured(min / 1000) : `${measured(min / 1000)} à ${measured(max / 1000)}`;
    return `environ ${amount} kg par ${per === 'plant' ? 'plante' : 'mètre de rang'}`;
  },
  months: (months, isIndoors) => (isIndoors ? `${months} à l’intérieur` : months),
  monthRange: (first, last) => (first === last ? first : `${first} à ${last}`),
  moistureNear: (newest, min, max) =>
    `Humidité à proximité : ${newest} maintenant, entre ${min} et ${max}. Les arrosages sont marqués.`,
  membersOf: (count) => (count === 1 ? '1 membre' : `${count} membres`),
};

export const lifeText = catalog({ en, fr, words });
