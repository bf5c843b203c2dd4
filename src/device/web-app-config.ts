import { labels } from '../core/field-labels.ts';
import { boolean, custom, integer, oneOf, text } from '../engine/fields.ts';
import { timeTextKind } from '../engine/kinds.ts';
import { singleton } from '../engine/singleton.ts';
import { settingGroups } from './setting-groups.ts';

const on = () => boolean().default(true);
const off = () => boolean().default(false);
const whole = (value: number) => integer().default(value);
/** The maximum verbosity that is shown or heard. */
const verbosity = (value: number) => integer().range(0, 3).default(value);

const shownLogs = () =>
  verbosity(1).describe(
    'Shows logs of this type up to this verbosity. 0: none, 3: all.',
    'Montre ces messages jusqu’à ce niveau. 0 : aucun, 3 : tous.',
  );

/** Settings of the web app. [rule D13, decision 1, 38, 54] */
export const webAppConfig = singleton('web_app_config', {
  tag: 'Device',
  example: { dark_mode: false },
  table: 'web_app_configs',
  description: 'Settings of the web app.',
  changeLogName: 'WebAppConfig',
  isHistory: false,
  isPublished: false,
  showsDevice: true,
  coercion: 'cast',
  groups: settingGroups.webApp,
  fields: {
    confirm_step_deletion: off()
      .describe('Asks before a step of a sequence is deleted.', 'Demande avant d’effacer une étape d’un programme.')
      .label('Ask before a step is deleted', 'Demander avant d’effacer une étape'),
    disable_animations: off()
      .describe('Shows no animations.', 'N’affiche pas d’animations.')
      .label('No animations', 'Sans animations'),
    disable_i18n: off()
      .describe(
        'Shows the web app in English, whatever the language of the browser.',
        'Affiche l’application en anglais.',
      )
      .label('Always in English', 'Toujours en anglais'),
    display_trail: on()
      .describe('Shows on the map where the robot has been.', 'Montre sur le plan où le robot est passé.')
      .label('Trail of the robot', 'Trace du robot'),
    dynamic_map: off()
      .describe(
        'Makes the map as large as the robot’s axes, where their length is known and they stop at their end. Otherwise `map_size_x` and `map_size_y` count.',
      )
      .label('Size by the robot’s axes', 'Taille d’après les axes du robot')
      .hint(
        'Makes the map as large as the robot’s axes, where their length is known and they stop at their end. Otherwise its own width and height count.',
        'Donne au plan la taille des axes du robot, si leur longueur est connue et s’ils s’arrêtent au bout.',
      ),
    encoder_figure: off()
      .describe(
        'Shows on the map where the encoders say that the robot is.',
        'Montre sur le plan où le robot est d’après les encodeurs.',
      )
      .label('Position by the encoders', 'Position des encodeurs'),
    hide_webcam_widget: off()
      .describe('Hides webcams.')
      .label('Hide webcams', 'Cacher les webcams')
      .hint('Leaves webcams out of the garden things.', 'Retire les webcams des éléments du jardin.'),
    legend_menu_open: on()
      .describe('Shows the list of layers beside the map.', 'Montre la liste des calques à côté du plan.')
      .label('List of layers is open', 'Liste des calques ouverte'),
    raw_encoders: off()
      .describe('Shows what the encoders count.', 'Montre ce que les encodeurs comptent.')
      .label('Counts of the encoders', 'Comptes des encodeurs'),
    scaled_encoders: off()
      .describe('Shows the position by the encoders.', 'Montre la position d’après les encodeurs.')
      .label('Positions of the encoders', 'Positions des encodeurs'),
    show_spread: on()
      .describe('Shows how wide plants get.', 'Montre la largeur que prennent les plantes.')
      .label('Spread of plants', 'Étendue des plantes'),
    show_farmbot: on().describe('Shows the robot on the map.', 'Montre le robot sur le plan.').label(labels.robot),
    show_plants: on()
      .describe('Shows plants on the map.', 'Montre les plantes sur le plan.')
      .label('Plants', 'Plantes'),
    show_points: on().describe('Shows points on the map.', 'Montre les points sur le plan.').label('Points', 'Points'),
    x_axis_inverted: off()
      .describe('Swaps the buttons that move along x.', 'Échange les boutons qui déplacent le long de x.')
      .label('Swap the buttons of x', 'Échanger les boutons de x'),
    y_axis_inverted: off()
      .describe('Swaps the buttons that move along y.', 'Échange les boutons qui déplacent le long de y.')
      .label('Swap the buttons of y', 'Échanger les boutons de y'),
    z_axis_inverted: off()
      .describe('Swaps the buttons that move along z.', 'Échange les boutons qui déplacent le long de z.')
      .label('Swap the buttons of z', 'Échanger les boutons de z'),
    bot_origin_quadrant: integer()
      .range(1, 4)
      .default(2)
      .describe(
        'The corner of the map where x and y are 0: 1 is top right, 2 top left, 3 bottom left, 4 bottom right.',
        'Le coin du plan où x et y valent 0 : 1 en haut à droite, 2 en haut à gauche, 3 en bas à gauche, 4 en bas à droite.',
      )
      .label('Corner of the origin', 'Coin de l’origine'),
    zoom_level: integer()
      .range(-9, 3)
      .default(-2)
      .describe('How large the web app shows the map.', 'À quelle taille l’application montre le plan.')
      .label('Zoom', 'Zoom'),
    success_log: shownLogs().label('Success', 'Réussites'),
    busy_log: shownLogs().label('Busy', 'Activité'),
    warn_log: shownLogs().label('Warnings', 'Avertissements'),
    error_log: shownLogs().label('Errors', 'Erreurs'),
    info_log: shownLogs().label('Information', 'Informations'),
    fun_log: shownLogs().label('Fun', 'Plaisanteries'),
    debug_log: shownLogs().label(labels.details),
    stub_config: off()
      .describe('Kept for older versions of the web app.', 'Gardé pour d’anciennes versions de l’application.')
      .label('Older versions', 'Anciennes versions'),
    show_first_party_farmware: off()
      .describe(
        'Lists the extensions that come with the robot, too.',
        'Montre aussi les extensions livrées avec le robot.',
      )
      .label('Extensions of the vendor', 'Extensions du fabricant'),
    enable_browser_speak: off()
      .describe('Reads messages with the channel `espeak` aloud.')
      .hint('Reads messages with the channel “espeak” aloud.', 'Lit à voix haute les messages du canal « espeak ».')
      .label('Read messages aloud', 'Lire les messages à voix haute'),
    show_images: on().describe('Shows photos on the map.', 'Montre les photos sur le plan.').label('Photos', 'Photos'),
    // [decision 58]
    photo_filter_begin: custom<string>(timeTextKind)
      .nullable()
      .describe('Shows only photos from this time on.', 'Montre seulement les photos à partir de ce moment.')
      .label('Photos from', 'Photos à partir de'),
    photo_filter_end: custom<string>(timeTextKind)
      .nullable()
      .describe('Shows only photos until this time.', 'Montre seulement les photos jusqu’à ce moment.')
      .label('Photos until', 'Photos jusqu’à'),
    discard_unsaved: off()
      .describe(
        'Leaves pages with unsaved changes without a question.',
        'Quitte sans question les pages avec des changements non enregistrés.',
      )
      .label('Leave changed pages without a question', 'Quitter sans question'),
    xy_swap: off()
      .describe('Turns the map: x goes down, y to the right.', 'Tourne le plan : x vers le bas, y vers la droite.')
      .label('Turn the map', 'Tourner le plan'),
    home_button_homing: on()
      .describe(
        'The home button finds home, instead of moving to 0.',
        'Le bouton cherche l’origine, au lieu d’aller à 0.',
      )
      .label('Home button finds home', 'Le bouton origine la cherche'),
    show_motor_plot: off()
      .describe('Draws positions over time.', 'Dessine les positions au fil du temps.')
      .label('Drawing of positions', 'Courbe des positions'),
    show_historic_points: off()
      .describe('Shows weeds that were removed.', 'Montre les mauvaises herbes qui ont été arrachées.')
      .label('Removed weeds', 'Mauvaises herbes arrachées'),
    show_sensor_readings: off()
      .describe('Shows values of sensors on the map.', 'Montre les valeurs des capteurs sur le plan.')
      .label('Values of sensors', 'Valeurs des capteurs'),
    show_dev_menu: off()
      .describe('Shows the web app’s menu for developers.', 'Montre le menu des développeurs.')
      .label('Menu for developers', 'Menu des développeurs'),
    internal_use: text()
      .max(100_000)
      .nullable()
      .describe('What the web app stores for itself, as text.', 'Ce que l’application garde pour elle.')
      .label('Storage of the web app', 'Mémoire de l’application'),
    time_format_24_hour: off()
      .describe('Shows times with 24 hours.', 'Montre les heures de 0 à 24.')
      .label('24 hours', '24 heures'),
    show_pins: off()
      .describe(
        'Offers pins by their numbers in steps, besides sensors and peripherals.',
        'Propose les broches par leur numéro dans les étapes, avec les capteurs et les périphériques.',
      )
      .label('Pins in steps', 'Broches dans les étapes'),
    disable_emergency_unlock_confirmation: on()
      .describe(
        'Unlocks the robot after an emergency stop without a question.',
        'Déverrouille sans question le robot après un arrêt d’urgence.',
      )
      .label('Unlock without a question', 'Déverrouiller sans question'),
    map_size_x: whole(2900)
      .describe('The length of the bed along x.', 'La longueur de la planche selon x.')
      .unit('mm')
      .label('Length along x', 'Longueur selon x'),
    map_size_y: whole(1230)
      .describe('The length of the bed along y.', 'La longueur de la planche selon y.')
      .unit('mm')
      .label('Length along y', 'Longueur selon y'),
    expand_step_options: off()
      .describe('Shows all options of steps.', 'Montre toutes les options des étapes.')
      .label('All options of steps', 'Toutes les options des étapes'),
    hide_sensors: off()
      .describe('Hides sensors.')
      .label('Hide sensors', 'Cacher les capteurs')
      .hint(
        'Leaves sensors out of the navigation and of the garden things.',
        'Retire les capteurs de la navigation et des éléments du jardin.',
      ),
    confirm_plant_deletion: on()
      .describe('Asks before a plant is deleted.', 'Demande avant d’effacer une plante.')
      .label('Ask before a plant is deleted', 'Demander avant d’effacer une plante'),
    confirm_sequence_deletion: on()
      .describe('Asks before a sequence is deleted.', 'Demande avant d’effacer un programme.')
      .label('Ask before a program is deleted', 'Demander avant d’effacer un programme'),
    discard_unsaved_sequences: off()
      .describe('Leaves a changed sequence without a question.', 'Quitte sans question un programme changé.')
      .label('Leave changed programs without a question', 'Quitter un programme sans question'),
    user_interface_read_only_mode: off()
      .describe('Keeps the web app from changing anything.', 'Empêche l’application de changer quoi que ce soit.')
      .label('Look only', 'Regarder seulement'),
    assertion_log: shownLogs().label('Checks', 'Vérifications'),
    show_zones: off()
      .describe('Shows the areas of groups on the map.', 'Montre les zones des groupes sur le plan.')
      .label('Areas of groups', 'Zones des groupes'),
    show_weeds: on()
      .describe('Shows weeds on the map.', 'Montre les mauvaises herbes sur le plan.')
      .label('Weeds', 'Mauvaises herbes'),
    display_map_missed_steps: off()
      .describe('Shows on the map where motors missed steps.', 'Montre sur le plan où des moteurs ont perdu des pas.')
      .label('Missed steps', 'Pas perdus'),
    time_format_seconds: off()
      .describe('Shows times with seconds.', 'Montre les heures avec les secondes.')
      .label('Seconds', 'Secondes'),
    crop_images: on()
      .describe('Cuts turned photos to rectangles.', 'Coupe les photos tournées en rectangles.')
      .label('Cut turned photos', 'Couper les photos tournées'),
    show_camera_view_area: on()
      .describe('Shows on the map what the camera sees.', 'Montre sur le plan ce que voit la caméra.')
      .label('What the camera sees', 'Ce que voit la caméra'),
    view_celery_script: off()
      .describe('Shows sequences as JSON, too.', 'Montre aussi les programmes en JSON.')
      .label('Programs as JSON', 'Programmes en JSON'),
    highlight_modified_settings: on()
      .describe('Marks settings that differ from their defaults.', 'Marque les réglages qui ont changé.')
      .label('Mark changed settings', 'Marquer les réglages changés'),
    show_advanced_settings: off()
      .describe('Shows all settings.', 'Montre tous les réglages.')
      .label('All settings', 'Tous les réglages'),
    show_soil_interpolation_map: off()
      .describe('Shows the height of the soil as colors.', 'Montre la hauteur du sol en couleurs.')
      .label('Height of the soil', 'Hauteur du sol'),
    show_moisture_interpolation_map: off()
      .describe('Shows the moisture of the soil as colors.', 'Montre l’humidité du sol en couleurs.')
      .label('Moisture of the soil', 'Humidité du sol'),
    clip_image_layer: on()
      .describe('Cuts photos off at the edge of the bed.', 'Coupe les photos au bord de la planche.')
      .label('Cut photos at the edge', 'Couper les photos au bord'),
    beep_verbosity: verbosity(0)
      .describe(
        'Makes a sound for logs up to this verbosity. 0: never.',
        'Émet un son pour les messages jusqu’à ce niveau. 0 : jamais.',
      )
      .label('Sounds', 'Sons'),
    landing_page: text()
      .max(100)
      .default('plants')
      .describe('The page of the web app that opens first.', 'La page qui s’ouvre d’abord dans l’application.')
      .label('First page', 'Première page'),
    go_button_axes: oneOf('X', 'Y', 'Z', 'XY', 'XYZ')
      .default('XY')
      .describe('Which axes a go button moves.')
      .label('Axes of the go button', 'Axes du bouton « aller »')
      .hint(
        'Which axes move when the map sends the robot to a place.',
        'Quels axes bougent quand le plan envoie le robot à un endroit.',
      ),
    show_uncropped_camera_view_area: off()
      .describe(
        'Shows on the map what the camera sees before photos are cut.',
        'Montre ce que voit la caméra avant la coupe.',
      )
      .label('All that the camera sees', 'Tout ce que voit la caméra'),
    default_plant_depth: whole(5)
      .describe('The planting depth of new plants.', 'La profondeur des nouvelles plantes.')
      .unit('mm')
      .label('Planting depth', 'Profondeur de plantation'),
    show_missed_step_plot: off()
      .describe('Draws missed steps over time.', 'Dessine les pas perdus au fil du temps.')
      .label('Drawing of missed steps', 'Courbe des pas perdus'),
    enable_3d_electronics_box_top: on()
      .describe(
        'Draws the box of the electronics with its top in the settings of buttons.',
        'Dessine le boîtier de l’électronique avec son couvercle.',
      )
      .label('Top of the electronics box', 'Couvercle de l’électronique'),
    three_d_garden: on()
      .addition()
      .describe('Shows the garden in three dimensions.', 'Montre le jardin en trois dimensions.')
      .label('Garden in three dimensions', 'Jardin en trois dimensions'),
    dark_mode: on()
      .addition()
      .describe('Shows the web app in dark colors.', 'Montre l’application en couleurs sombres.')
      .label('Dark colors', 'Couleurs sombres'),
    top_down_view: off()
      .addition()
      .describe('Shows the garden in three dimensions from above.', 'Montre le jardin en trois dimensions de dessus.')
      .label('From above', 'Vue de dessus'),
    viewpoint_heading: whole(30)
      .addition()
      .describe(
        'From which direction the garden in three dimensions is seen.',
        'De quelle direction le jardin en trois dimensions est vu.',
      )
      .unit('degrees')
      .label('Direction of the view', 'Direction de la vue'),
    show_scene_objects: on()
      .addition()
      .describe(
        'Shows objects around the garden in three dimensions.',
        'Montre des objets autour du jardin en trois dimensions.',
      )
      .label('Objects around the garden', 'Objets autour du jardin'),
    show_controls_overlay: on()
      .addition()
      .describe('Shows the controls over the map.', 'Montre les commandes sur le plan.')
      .label('Controls over the map', 'Commandes sur le plan'),
  },
});
