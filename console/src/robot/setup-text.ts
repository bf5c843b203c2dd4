import type { CameraSettingName } from '../data/camera-settings.ts';
import { catalog } from '../ui/language.ts';
import { measured } from '../ui/numbers.ts';

type ByField<T> = Readonly<Record<CameraSettingName, T>>;
type SomeFields<T> = Partial<ByField<T>>;

const words = {
  title: ['Set up the robot', 'Configurer le robot'],
  toRobot: ['To the robot', 'Vers le robot'],
  offline: [
    'The robot is not connected. You can fill in fields meanwhile; commands wait until it is.',
    'Le robot n’est pas connecté. Vous pouvez remplir les champs ; les commandes attendent qu’il le soit.',
  ],
  viewer: ['Members of the garden set the robot up.', 'Les membres du jardin configurent le robot.'],
  save: ['Save', 'Enregistrer'],
  // Software
  software: ['1. Software', '1. Logiciel'],
  noVersion: ['The robot has not reported its version yet.', 'Le robot n’a pas encore indiqué sa version.'],
  checkUpdates: ['Check for updates and install them', 'Chercher des mises à jour et les installer'],
  updateHint: [
    'The robot asks this server for a newer version, installs it and restarts, which takes some minutes.',
    'Le robot demande une version plus récente à ce serveur, l’installe et redémarre, ce qui prend quelques minutes.',
  ],
  // Board
  board: ['2. Motor controller', '2. Contrôleur des moteurs'],
  boardChosen: ['The board was chosen.', 'La carte est choisie.'],
  flash: ['Flash the board', 'Flasher la carte'],
  flashTitle: ['Flash the board?', 'Flasher la carte ?'],
  flashWarning: [
    'Motors and pins stop for about a minute. Find home afterwards.',
    'Moteurs et broches s’arrêtent environ une minute. Cherchez ensuite l’origine.',
  ],
  flashHint: [
    'Flash it once the right board is chosen. The log says whether that succeeded.',
    'Flashez-la une fois la bonne carte choisie. Le journal dit si cela a réussi.',
  ],
  // Axes
  axes: ['3. Axes', '3. Axes'],
  axesHint: [
    'Clear the bed first: the robot moves to both ends of an axis, and stores its length. Or measure it, and enter it.',
    'Dégagez d’abord la planche : le robot va aux deux bouts d’un axe et enregistre sa longueur. Ou mesurez-la et saisissez-la.',
  ],
  length: ['Length', 'Longueur'],
  lengthUnknown: ['0: not known', '0 : inconnue'],
  noLength: [
    'Enter a length in mm, or 0 if it is not known.',
    'Saisissez une longueur en mm, ou 0 si elle est inconnue.',
  ],
  // Soil
  soil: ['4. Height of the soil', '4. Hauteur du sol'],
  noHeights: ['The height of the soil was not measured yet.', 'La hauteur du sol n’a pas encore été mesurée.'],
  measureSoil: ['Measure the height of the soil here', 'Mesurer la hauteur du sol ici'],
  soilHint: [
    'The camera measures it below the robot. From three places on, the robot knows it in between.',
    'La caméra la mesure sous le robot. À partir de trois endroits, le robot la connaît entre eux.',
  ],
  // Camera
  camera: ['5. Camera', '5. Caméra'],
  notCalibrated: ['The camera was not calibrated yet.', 'La caméra n’a pas encore été étalonnée.'],
  cameraHint: [
    'Put the calibration card on the soil below the camera, and calibrate: photos then lie where they were taken.',
    'Posez la carte d’étalonnage sur le sol, sous la caméra, et étalonnez : les photos sont alors à leur place.',
  ],
  calibrateCamera: ['Calibrate the camera', 'Étalonner la caméra'],
  cameraSaved: ['The settings of the camera were saved.', 'Les réglages de la caméra sont enregistrés.'],
  card: ['The card', 'La carte'],
  cameraPlace: ['The camera', 'La caméra'],
  // Reset
  reset: ['Begin again', 'Recommencer'],
  resetHint: [
    'If a robot behaves strangely, or moves to another garden or network.',
    'Si un robot se comporte bizarrement, ou change de jardin ou de réseau.',
  ],
  softReset: ['Soft reset', 'Réinitialisation logicielle'],
  softResetTitle: ['Reset the robot?', 'Réinitialiser le robot ?'],
  softResetWarning: [
    'The robot forgets its network and this account, and opens its own Wi-Fi to be configured again. The garden’s data stay.',
    'Le robot oublie son réseau et ce compte, et ouvre son propre Wi-Fi pour être configuré de nouveau. Les données du jardin restent.',
  ],
  resetBoard: ['Reset the motor settings', 'Réinitialiser les réglages des moteurs'],
  resetBoardTitle: ['Reset all settings of the motors?', 'Réinitialiser tous les réglages des moteurs ?'],
  resetBoardWarning: [
    'Lengths, speeds and all other settings of the motor controller become the defaults. The robot restarts.',
    'Longueurs, vitesses et tous les autres réglages du contrôleur reprennent leurs valeurs par défaut. Le robot redémarre.',
  ],
} as const;

/** The English words of the set-up. */
const en = {
  version: (version: string) => `Version: ${version}`,
  axis: (name: string) => `${name} axis`,
  findHome: (name: string) => `Find home of ${name}`,
  findLength: (name: string) => `Find the length of ${name}`,
  lengthSaved: (name: string, length: number) => `Length of ${name}: ${measured(length)} mm.`,
  blind: (name: string) =>
    `${name} does not notice its ends: switch on “Notice lost steps” or “Limit switches” in the settings of the motors first.`,
  newestHeight: ({ x, y, z, when }: { x: number; y: number; z: number; when: string }) =>
    `Measured last: ${measured(z)} mm at (${Math.round(x)}, ${Math.round(y)}), ${when}.`,
  calibrated: (height: string) => `The camera was calibrated at a height of ${height} mm.`,
  cameraFields: {
    easy_calibration: 'Kind of card',
    calibration_object_separation: 'Distance of the marks',
    calibration_along_axis: 'The marks lie along',
    camera_offset_x: 'Offset in x',
    camera_offset_y: 'Offset in y',
    image_bot_origin_location: 'Home in photos',
    coord_scale: 'Scale',
    total_rotation_angle: 'Rotation',
    invert_hue_selection: 'Hue of the marks',
    H_LO: 'Hue from',
    H_HI: 'Hue to',
    S_LO: 'Saturation from',
    S_HI: 'Saturation to',
    V_LO: 'Brightness from',
    V_HI: 'Brightness to',
    blur: 'Blur (px)',
    morph: 'Smoothing (px)',
    iteration: 'Times of smoothing',
  } satisfies ByField<string> as ByField<string>,
  cameraHints: {
    camera_offset_x: 'From the tool to the camera',
    camera_offset_y: 'From the tool to the camera',
    image_bot_origin_location: 'The corner that is nearest to home',
    coord_scale: '0: not calibrated',
  } as SomeFields<string>,
  cameraChoices: {
    easy_calibration: { TRUE: 'Grid of white dots', FALSE: 'Two marks' },
    calibration_along_axis: { X: 'the X axis', Y: 'the Y axis' },
    image_bot_origin_location: {
      TOP_LEFT: 'Top left',
      TOP_RIGHT: 'Top right',
      BOTTOM_LEFT: 'Bottom left',
      BOTTOM_RIGHT: 'Bottom right',
    },
    invert_hue_selection: { TRUE: 'Outside the range, as red is', FALSE: 'Within the range' },
  } as SomeFields<Readonly<Record<string, string>>>,
};

/** The French words of the set-up. */
const fr: typeof en = {
  version: (version) => `Version : ${version}`,
  axis: (name) => `Axe ${name}`,
  findHome: (name) => `Chercher l’origine de ${name}`,
  findLength: (name) => `Chercher la longueur de ${name}`,
  lengthSaved: (name, length) => `Longueur de ${name} : ${measured(length)} mm.`,
  blind: (name) =>
    `${name} ne remarque pas ses bouts : activez d’abord « Remarquer les pas perdus » ou « Interrupteurs de fin de course » dans les réglages des moteurs.`,
  newestHeight: ({ x, y, z, when }) =>
    `Dernière mesure : ${measured(z)} mm à (${Math.round(x)}, ${Math.round(y)}), ${when}.`,
  calibrated: (height) => `La caméra a été étalonnée à une hauteur de ${height} mm.`,
  cameraFields: {
    easy_calibration: 'Type de carte',
    calibration_object_separation: 'Distance des marques',
    calibration_along_axis: 'Les marques suivent',
    camera_offset_x: 'Décalage en x',
    camera_offset_y: 'Décalage en y',
    image_bot_origin_location: 'L’origine dans les photos',
    coord_scale: 'Échelle',
    total_rotation_angle: 'Rotation',
    invert_hue_selection: 'Teinte des marques',
    H_LO: 'Teinte de',
    H_HI: 'Teinte à',
    S_LO: 'Saturation de',
    S_HI: 'Saturation à',
    V_LO: 'Luminosité de',
    V_HI: 'Luminosité à',
    blur: 'Flou (px)',
    morph: 'Lissage (px)',
    iteration: 'Nombre de lissages',
  },
  cameraHints: {
    camera_offset_x: 'De l’outil à la caméra',
    camera_offset_y: 'De l’outil à la caméra',
    image_bot_origin_location: 'Le coin le plus proche de l’origine',
    coord_scale: '0 : non étalonnée',
  },
  cameraChoices: {
    easy_calibration: { TRUE: 'Grille de points blancs', FALSE: 'Deux marques' },
    calibration_along_axis: { X: 'l’axe X', Y: 'l’axe Y' },
    image_bot_origin_location: {
      TOP_LEFT: 'En haut à gauche',
      TOP_RIGHT: 'En haut à droite',
      BOTTOM_LEFT: 'En bas à gauche',
      BOTTOM_RIGHT: 'En bas à droite',
    },
    invert_hue_selection: { TRUE: 'Hors de la plage, comme le rouge', FALSE: 'Dans la plage' },
  },
};

export const setupText = catalog({ en, fr, words });
