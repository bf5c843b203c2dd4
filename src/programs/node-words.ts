import { frenchSpaces } from '../core/french-spaces.ts';
import type { Language } from '../core/languages.ts';
import { messageTypeWords, pointWords, signalWords } from '../core/value-words.ts';

/** English and French words by names of the command language. A name that is in no table is shown unchanged, with spaces for underscores. */
type Table = Readonly<Record<string, readonly [en: string, fr: string]>>;

/** Kinds of nodes. */
const kinds = {
  assertion: ['Test with Lua', 'Tester avec Lua'],
  _if: ['If', 'Si'],
  calibrate: ['Measure an axis', 'Mesurer un axe'],
  check_updates: ['Check for updates', 'Chercher des mises à jour'],
  emergency_lock: ['Stop and lock', 'Arrêter et verrouiller'],
  emergency_unlock: ['Unlock', 'Déverrouiller'],
  execute: ['Run a program', 'Exécuter un programme'],
  execute_script: ['Run a farmware', 'Exécuter un farmware'],
  factory_reset: ['Factory reset', 'Réglages d’usine'],
  find_home: ['Find home', 'Trouver l’origine'],
  flash_firmware: ['Reinstall the firmware', 'Réinstaller le micrologiciel'],
  home: ['Go to home', 'Aller à l’origine'],
  install_farmware: ['Install a farmware', 'Installer un farmware'],
  install_first_party_farmware: ['Install the manufacturer’s farmware', 'Installer le farmware du fabricant'],
  lua: ['Lua', 'Lua'],
  move: ['Move', 'Déplacer'],
  move_absolute: ['Move to a place', 'Aller à un endroit'],
  move_relative: ['Move by a distance', 'Déplacer d’une distance'],
  power_off: ['Power off', 'Éteindre'],
  read_pin: ['Read a sensor or pin', 'Lire un capteur ou une broche'],
  read_status: ['Report the status', 'Envoyer l’état'],
  reboot: ['Restart', 'Redémarrer'],
  remove_farmware: ['Remove a farmware', 'Supprimer un farmware'],
  update_resource: ['Change an item', 'Modifier un élément'],
  send_message: ['Message', 'Message'],
  set_pin_io_mode: ['Make a pin an input or output', 'Faire d’une broche une entrée ou sortie'],
  set_servo_angle: ['Turn a servo', 'Tourner un servo'],
  set_user_env: ['Farmware settings', 'Réglages de farmware'],
  sync: ['Fetch changes', 'Récupérer les changements'],
  take_photo: ['Take a photo', 'Prendre une photo'],
  toggle_pin: ['Toggle a pin', 'Inverser une broche'],
  update_farmware: ['Update a farmware', 'Mettre à jour un farmware'],
  wait: ['Wait', 'Attendre'],
  write_pin: ['Set a pin', 'Régler une broche'],
  zero: ['Set position to 0', 'Mettre la position à 0'],
  nothing: ['Nothing', 'Rien'],
  coordinate: ['Coordinates', 'Coordonnées'],
  identifier: ['Variable', 'Variable'],
  location_placeholder: ['Any place', 'Un endroit à choisir'],
  number_placeholder: ['Any number', 'Un nombre à choisir'],
  text_placeholder: ['Any text', 'Un texte à choisir'],
  resource_placeholder: ['Any item', 'Un élément à choisir'],
  numeric: ['Number', 'Nombre'],
  point: ['Plant or point', 'Plante ou point'],
  point_group: ['Group: run for each point', 'Groupe : une fois par point'],
  resource: ['Item', 'Élément'],
  text: ['Text', 'Texte'],
  tool: ['Tool', 'Outil'],
  named_pin: ['Peripheral, sensor or light', 'Périphérique, capteur ou lampe'],
  random: ['Random number', 'Nombre aléatoire'],
  special_value: ['Known height or position', 'Hauteur ou position connue'],
  axis_overwrite: ['Target', 'Cible'],
  axis_addition: ['Offset', 'Décalage'],
  speed_overwrite: ['Speed', 'Vitesse'],
  safe_z: ['Travel at the safe height', 'Passer à la hauteur sûre'],
  axis_order: ['Order of the axes', 'Ordre des axes'],
  channel: ['Notification', 'Notification'],
  pair: ['Name and value', 'Nom et valeur'],
  sequence: ['Program', 'Programme'],
  regimen: ['Regimen', 'Régime'],
  farm_event: ['Event', 'Événement'],
} as const satisfies Table;

/** Arguments. */
const args = {
  _then: ['Then', 'Alors'],
  _else: ['Else', 'Sinon'],
  assertion_type: ['If it fails', 'En cas d’échec'],
  axis: ['Axis', 'Axe'],
  axis_operand: ['Value', 'Valeur'],
  channel_name: ['Shown as', 'Sous forme de'],
  data_value: ['Value', 'Valeur'],
  default_value: ['Default', 'Valeur par défaut'],
  grouping: ['Groups', 'Groupes'],
  label: ['Name', 'Nom'],
  lhs: ['Compare', 'Comparer'],
  location: ['Place', 'Endroit'],
  lua: ['Lua', 'Lua'],
  message: ['Message', 'Message'],
  message_type: ['Type', 'Type'],
  milliseconds: ['Time', 'Durée'],
  number: ['Number', 'Nombre'],
  offset: ['Offset', 'Décalage'],
  op: ['Comparison', 'Comparaison'],
  package: ['Software', 'Logiciel'],
  pin_io_mode: ['Mode', 'Mode'],
  pin_mode: ['Mode', 'Mode'],
  pin_number: ['Pin', 'Broche'],
  pin_type: ['Type', 'Type'],
  pin_value: ['Value', 'Valeur'],
  resource: ['Item', 'Élément'],
  resource_type: ['Type', 'Type'],
  rhs: ['Compare with', 'Comparer avec'],
  route: ['Route', 'Trajet'],
  speed: ['Speed', 'Vitesse'],
  speed_setting: ['Speed', 'Vitesse'],
  string: ['Text', 'Texte'],
  url: ['Address', 'Adresse'],
  value: ['Value', 'Valeur'],
  variance: ['Largest value, plus or minus', 'Valeur maximale, en plus ou en moins'],
  x: ['X', 'X'],
  y: ['Y', 'Y'],
  z: ['Z', 'Z'],
} as const satisfies Table;

/** Values of arguments. */
const values = {
  ...signalWords,
  abort: ['End the program', 'Terminer le programme'],
  recover: ['Run another program', 'Exécuter un autre programme'],
  abort_recover: ['Run another program, then end', 'Exécuter un autre programme, puis terminer'],
  continue: ['Continue', 'Continuer'],
  '<': ['is less than', 'est inférieur à'],
  '>': ['is more than', 'est supérieur à'],
  is: ['is', 'est'],
  not: ['is not', 'n’est pas'],
  is_undefined: ['is unknown', 'est inconnu'],
  all: ['All axes', 'Tous les axes'],
  x: ['X', 'X'],
  y: ['Y', 'Y'],
  z: ['Z', 'Z'],
  ticker: ['Line at the top of the page', 'Bandeau en haut de la page'],
  toast: ['Pop-up', 'Notification'],
  email: ['E-mail', 'E-mail'],
  espeak: ['Speech', 'Voix'],
  in_order: ['As listed', 'Dans l’ordre'],
  high: ['High', 'Haut'],
  low: ['Low', 'Bas'],
  current_location: ['Current position', 'Position actuelle'],
  safe_height: ['Safe height', 'Hauteur sûre'],
  soil_height: ['Soil height', 'Hauteur du sol'],
  farmbot_os: ['Robot software', 'Logiciel du robot'],
  arduino_firmware: ['Firmware of the motor controller', 'Micrologiciel des moteurs'],
  ...pointWords,
  ToolSlot: ['Slot', 'Emplacement'],
  Peripheral: ['Peripheral', 'Périphérique'],
  Sensor: ['Sensor', 'Capteur'],
  Sequence: ['Program', 'Programme'],
  Point: ['Point of any kind', 'Point de tout genre'],
  Device: ['The robot', 'Le robot'],
  BoxLed3: ['Box light 3', 'Lampe 3 du boîtier'],
  BoxLed4: ['Box light 4', 'Lampe 4 du boîtier'],
  input: ['Input', 'Entrée'],
  input_pullup: ['Input with pull-up', 'Entrée avec résistance de tirage'],
  output: ['Output', 'Sortie'],
  ...messageTypeWords,
} as const satisfies Table;

/** Returns the words for a name; undefined if the table has none. Clients may send names such as `constructor`. */
function lookup(table: Table, language: Language, name: string): string | undefined {
  const [en, fr] = (Object.hasOwn(table, name) ? table[name] : undefined) ?? [];
  return language === 'fr' ? fr && frenchSpaces(fr) : en;
}

/** Returns the words of a name that is in no table. */
function plainWords(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const kindInWords = (language: Language, kind: string): string =>
  lookup(kinds, language, kind) ?? plainWords(kind);

export const argInWords = (language: Language, arg: string): string => lookup(args, language, arg) ?? plainWords(arg);

/** Returns the words for a value of a list; undefined if there are none. `pin13` is pin 13. */
export function valueInWords(language: Language, value: string): string | undefined {
  const [, pin] = /^pin(\d+)$/.exec(value) ?? [];
  if (pin !== undefined) return `${{ en: 'Pin', fr: 'Broche' }[language]} ${pin}`;
  // Groups of axes are written as they are.
  return /^[xyz,]{2,}$/.test(value) ? value : lookup(values, language, value);
}

/** Returns the words for a kind, or for a value of a list. */
export const nameInWords = (language: Language, name: string): string =>
  lookup(kinds, language, name) ?? valueInWords(language, name) ?? plainWords(name);
