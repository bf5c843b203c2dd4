import { capitalized } from './capital-letters.ts';
import type { Language } from './languages.ts';
import { Message } from './message.ts';

type Names = readonly [one: string, many: string];

const names: Readonly<Record<string, Readonly<Record<Language, Names>>>> = {
  Point: { en: ['plant or point', 'plants or points'], fr: ['plante ou point', 'plantes ou points'] },
  PointGroup: { en: ['group', 'groups'], fr: ['groupe', 'groupes'] },
  Sequence: { en: ['program', 'programs'], fr: ['programme', 'programmes'] },
  Regimen: { en: ['regimen', 'regimens'], fr: ['régime', 'régimes'] },
  FarmEvent: {
    en: ['event of the schedule', 'events of the schedule'],
    fr: ['événement du calendrier', 'événements du calendrier'],
  },
  Folder: { en: ['folder', 'folders'], fr: ['dossier', 'dossiers'] },
  Run: { en: ['run over several places', 'runs over several places'], fr: ['passage', 'passages'] },
  Tool: { en: ['tool', 'tools'], fr: ['outil', 'outils'] },
  Peripheral: { en: ['peripheral', 'peripherals'], fr: ['périphérique', 'périphériques'] },
  Sensor: { en: ['sensor', 'sensors'], fr: ['capteur', 'capteurs'] },
  PinBinding: { en: ['pin binding', 'pin bindings'], fr: ['bouton', 'boutons'] },
  Curve: { en: ['curve', 'curves'], fr: ['courbe', 'courbes'] },
  SavedGarden: { en: ['saved garden', 'saved gardens'], fr: ['jardin enregistré', 'jardins enregistrés'] },
  PlantTemplate: {
    en: ['plant of a saved garden', 'plants of saved gardens'],
    fr: ['plante d’un jardin enregistré', 'plantes de jardins enregistrés'],
  },
  Notification: { en: ['notification', 'notifications'], fr: ['notification', 'notifications'] },
  Image: { en: ['photo', 'photos'], fr: ['photo', 'photos'] },
  WebcamFeed: { en: ['webcam', 'webcams'], fr: ['webcam', 'webcams'] },
  FarmwareInstallation: { en: ['farmware', 'farmware'], fr: ['farmware', 'farmware'] },
  FarmwareEnv: { en: ['farmware setting', 'farmware settings'], fr: ['réglage de farmware', 'réglages de farmware'] },
  SceneObject: {
    en: ['object of the 3D view', 'objects of the 3D view'],
    fr: ['objet de la vue 3D', 'objets de la vue 3D'],
  },
  Device: { en: ['robot and garden', 'robot and garden'], fr: ['robot et jardin', 'robot et jardin'] },
  FbosConfig: { en: ['robot settings', 'robot settings'], fr: ['réglages du robot', 'réglages du robot'] },
  FirmwareConfig: {
    en: ['firmware settings', 'firmware settings'],
    fr: ['réglages du micrologiciel', 'réglages du micrologiciel'],
  },
  WebAppConfig: { en: ['map settings', 'map settings'], fr: ['réglages du plan', 'réglages du plan'] },
  Alert: { en: ['notice', 'notices'], fr: ['avis', 'avis'] },
  SensorReading: { en: ['sensor reading', 'sensor readings'], fr: ['mesure d’un capteur', 'mesures des capteurs'] },
  Telemetry: {
    en: ['report on the robot’s computer', 'reports on the robot’s computer'],
    fr: ['mesure de l’ordinateur du robot', 'mesures de l’ordinateur du robot'],
  },
};

const namesIn = (language: Language): Readonly<Record<string, Names>> =>
  Object.fromEntries(Object.entries(names).map(([resource, texts]) => [resource, texts[language]]));

/** The names of resources' records, for people. */
export const resourceNames = { en: namesIn('en'), fr: namesIn('fr') };

/** Returns the name of a record, or of several, in messages: its name in the API, in capitals as there; for people their name of its resource. */
export function recordNoun(singular: string, api = singular, form: 'one' | 'many' = 'one'): Message {
  const resource = singular.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
  return new Message((reader) => {
    const found = reader !== 'api' && Object.hasOwn(names, resource) && resourceNames[reader][resource];
    if (!found) return api;
    const name = found[form === 'one' ? 0 : 1];
    return capitalized(api) === api ? capitalized(name) : name;
  });
}
