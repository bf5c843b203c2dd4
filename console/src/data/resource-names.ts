import { catalog } from '../ui/language.ts';
import { capital, wordsOf } from '../ui/letters.ts';
import { collectionNames } from './generated/resources.ts';
import { dataText } from './text.ts';

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

/** Names of the resources of the API, in the singular and the plural. */
const resourceNames = catalog<Names>({ en, fr });

/** Returns a count of records of a resource as text: `3 programs`; `at least 3 programs` if there may be more. */
export function countOf(resource: string, count: number, hasMore = false): string {
  const [one, many] = resourceNames()[resource] ?? [resource, resource];
  if (count === 1 && !hasMore) return one;
  const counted = `${count} ${count === 1 ? one : many}`;
  return hasMore ? dataText().atLeast(counted) : counted;
}

/** Returns the name of a resource as a title: `Programs`. */
export const resourceTitle = (resource: string, form: 'one' | 'many' = 'many'): string => {
  const [one, many] = resourceNames()[resource] ?? [wordsOf(resource), wordsOf(resource)];
  return capital(form === 'one' ? one : many);
};

/** The same of a list of the API, such as `farm_events`. */
export const listTitle = (list: string, form: 'one' | 'many' = 'many'): string =>
  resourceTitle(Object.entries(collectionNames).find(([, name]) => name === list)?.[0] ?? list, form);
