import type { PointOrder } from '../../../src/core/point-order.ts';
import { messageTypeWords, pointWords, signalWords } from '../../../src/core/value-words.ts';

type Names = readonly [en: string, fr: string];

/** Returns names of values for one field only. */
const ofField = (field: string, words: Readonly<Record<string, Names>>): Readonly<Record<string, Names>> =>
  Object.fromEntries(Object.entries(words).map(([value, names]) => [`${field} ${value}`, names]));

/** Names of the orders of a group's points. */
const orderWords: Readonly<Record<PointOrder, Names>> = {
  xy_ascending: ['By x, then y', 'Par x, puis y'],
  xy_descending: ['By x, then y, backward', 'Par x, puis y, à rebours'],
  yx_ascending: ['By y, then x', 'Par y, puis x'],
  yx_descending: ['By y, then x, backward', 'Par y, puis x, à rebours'],
  xy_alternating: ['By x, y to and fro', 'Par x, y en aller et retour'],
  yx_alternating: ['By y, x to and fro', 'Par y, x en aller et retour'],
  nn: ['Nearest next', 'Le plus proche d’abord'],
  random: ['Random', 'Au hasard'],
};

/** THE list of names of choices: by their values, or by `field value`. Choices of settings are names of parts and versions. */
export const choiceWords: Readonly<Record<string, Names>> = {
  // Signals of pins
  ...ofField('mode', signalWords),
  // Runs over several places
  ...ofField('state', {
    running: ['Running', 'En cours'],
    stopping: ['Ends after this place', 'Se termine après cet endroit'],
    done: ['Done', 'Terminé'],
    stopped: ['Stopped', 'Arrêté'],
    interrupted: ['Interrupted', 'Interrompu'],
  }),
  // Buttons
  standard: ['Runs a program', 'Exécute un programme'],
  special: ['An action of the robot', 'Une action du robot'],
  emergency_lock: ['Emergency stop', 'Arrêt d’urgence'],
  emergency_unlock: ['Unlock', 'Déverrouiller'],
  power_off: ['Shut down', 'Éteindre'],
  read_status: ['Report the state', 'Envoyer l’état'],
  reboot: ['Restart', 'Redémarrer'],
  sync: ['Fetch changes', 'Récupérer les changements'],
  take_photo: ['Take a photo', 'Prendre une photo'],
  // Points
  ...pointWords,
  ToolSlot: ['Tool slot', 'Emplacement d’outil'],
  planned: ['Planned', 'Prévu'],
  planted: ['Planted', 'Planté'],
  sprouted: ['Sprouted', 'Levé'],
  active: ['Active', 'Actif'],
  inactive: ['Not in use', 'Inutilisé'],
  pending: ['Pending', 'En attente'],
  harvested: ['Harvested', 'Récolté'],
  removed: ['Removed', 'Retiré'],
  'pullout_direction 0': ['Not at all', 'Pas du tout'],
  'pullout_direction 1': ['To larger x', 'Vers x croissant'],
  'pullout_direction 2': ['To smaller x', 'Vers x décroissant'],
  'pullout_direction 3': ['To larger y', 'Vers y croissant'],
  'pullout_direction 4': ['To smaller y', 'Vers y décroissant'],
  'mount_stage 0': ['The bed', 'Le bac'],
  'mount_stage 1': ['The gantry, along x', 'Le portique, selon x'],
  'mount_stage 2': ['The cross-slide, along x and y', 'Le chariot, selon x et y'],
  'mount_stage 3': ['The z-axis, along x, y and z', 'L’axe z, selon x, y et z'],
  ...orderWords,
  // Tools, peripherals and sensors
  'type none': ['Other', 'Autre'],
  rotary_tool: ['Rotary tool', 'Outil rotatif'],
  seed_bin: ['Seed bin', 'Bac à graines'],
  seed_tray: ['Seed tray', 'Plateau à graines'],
  seed_trough: ['Seed trough', 'Auge à graines'],
  seeder: ['Seeder', 'Semoir'],
  soil_sensor: ['Soil sensor', 'Capteur de sol'],
  watering_nozzle: ['Watering nozzle', 'Buse d’arrosage'],
  weeder: ['Weeder', 'Désherbeur'],
  lighting: ['Lighting', 'Éclairage'],
  vacuum: ['Vacuum', 'Aspiration'],
  soil_moisture: ['Soil moisture', 'Humidité du sol'],
  tool_verification: ['Tool verification', 'Détection de l’outil'],
  current: ['Motor current', 'Courant du moteur'],
  // Curves
  water: ['Watering', 'Arrosage'],
  spread: ['Spread', 'Étalement'],
  height: ['Height', 'Hauteur'],
  // Colors
  blue: ['Blue', 'Bleu'],
  green: ['Green', 'Vert'],
  yellow: ['Yellow', 'Jaune'],
  orange: ['Orange', 'Orange'],
  purple: ['Purple', 'Violet'],
  pink: ['Pink', 'Rose'],
  gray: ['Gray', 'Gris'],
  red: ['Red', 'Rouge'],
  // Logs, and messages that programs write
  ...ofField('message_type', messageTypeWords),
  'message_type assertion': ['Test', 'Test'],
  // The calendar
  Sequence: ['Program', 'Programme'],
  Regimen: ['Regimen', 'Régime'],
  never: ['Once', 'Une fois'],
  minutely: ['Minutes', 'Minutes'],
  hourly: ['Hours', 'Heures'],
  daily: ['Days', 'Jours'],
  weekly: ['Weeks', 'Semaines'],
  monthly: ['Months', 'Mois'],
  yearly: ['Years', 'Années'],
};
