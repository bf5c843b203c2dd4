import { capitalized } from './capital-letters.ts';
import type { Language } from './languages.ts';
import { Message } from './message.ts';

type Names = Readonly<Record<string, readonly [one: string, many: string]>>;

const en = {
  Point: ['plant or point', 'plants or points'],
  PointGroup: ['group', 'groups'],
  Sequence: ['program', 'programs'],
  Regimen: ['regimen', 'regimens'],
  FarmEvent: ['event of the schedule', 'events of the schedule'],
  Folder: ['folder', 'folders'],
  Tool: ['tool', 'tools'],
  Peripheral: ['peripheral', 'peripherals'],
  Sensor: ['sensor', 'sensors'],
  PinBinding: ['pin binding', 'pin bindings'],
  Curve: ['curve', 'curves'],
  SavedGarden: ['saved garden', 'saved gardens'],
  PlantTemplate: ['plant of a saved garden', 'plants of saved gardens'],
  Image: ['photo', 'photos'],
  WebcamFeed: ['webcam', 'webcams'],
  FarmwareInstallation: ['farmware', 'farmware'],
  FarmwareEnv: ['farmware setting', 'farmware settings'],
  SceneObject: ['object of the 3D view', 'objects of the 3D view'],
  Device: ['robot and garden', 'robot and garden'],
  FbosConfig: ['robot settings', 'robot settings'],
  FirmwareConfig: ['firmware settings', 'firmware settings'],
  WebAppConfig: ['map settings', 'map settings'],
  Alert: ['notice', 'notices'],
  SensorReading: ['sensor reading', 'sensor readings'],
  Telemetry: ['report on the robot’s computer', 'reports on the robot’s computer'],
} as const satisfies Names;

const fr: Readonly<Record<keyof typeof en, readonly [one: string, many: string]>> = {
  Point: ['plante ou point', 'plantes ou points'],
  PointGroup: ['groupe', 'groupes'],
  Sequence: ['programme', 'programmes'],
  Regimen: ['régime', 'régimes'],
  FarmEvent: ['événement du calendrier', 'événements du calendrier'],
  Folder: ['dossier', 'dossiers'],
  Tool: ['outil', 'outils'],
  Peripheral: ['périphérique', 'périphériques'],
  Sensor: ['capteur', 'capteurs'],
  PinBinding: ['bouton', 'boutons'],
  Curve: ['courbe', 'courbes'],
  SavedGarden: ['jardin enregistré', 'jardins enregistrés'],
  PlantTemplate: ['plante d’un jardin enregistré', 'plantes de jardins enregistrés'],
  Image: ['photo', 'photos'],
  WebcamFeed: ['webcam', 'webcams'],
  FarmwareInstallation: ['farmware', 'farmware'],
  FarmwareEnv: ['réglage de farmware', 'réglages de farmware'],
  SceneObject: ['objet de la vue 3D', 'objets de la vue 3D'],
  Device: ['robot et jardin', 'robot et jardin'],
  FbosConfig: ['réglages du robot', 'réglages du robot'],
  FirmwareConfig: ['réglages du micrologiciel', 'réglages du micrologiciel'],
  WebAppConfig: ['réglages du plan', 'réglages du plan'],
  Alert: ['avis', 'avis'],
  SensorReading: ['mesure d’un capteur', 'mesures des capteurs'],
  Telemetry: ['mesure de l’ordinateur du robot', 'mesures de l’ordinateur du robot'],
};

/** What people call the records of resources. */
export const resourceNames: Readonly<Record<Language, Names>> = { en, fr };

/** Returns what messages call a record, or several: its name in the API, in capitals as there; for people their name of its resource. */
export function recordNoun(singular: string, api = singular, form: 'one' | 'many' = 'one'): Message {
  const resource = singular.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
  return new Message((reader) => {
    const names = reader !== 'api' && Object.hasOwn(en, resource) && resourceNames[reader][resource];
    if (!names) return api;
    const name = names[form === 'one' ? 0 : 1];
    return capitalized(api) === api ? capitalized(name) : name;
  });
}
