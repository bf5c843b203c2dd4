import { boolean, custom, integer, oneOf, text } from '../engine/fields.ts';
import { timeTextKind } from '../engine/kinds.ts';
import { singleton } from '../engine/singleton.ts';

const on = () => boolean().default(true);
const off = () => boolean().default(false);
const whole = (value: number) => integer().default(value);
/** The maximum verbosity that is shown or heard. */
const verbosity = (value: number) => integer().range(0, 3).default(value);

const shownLogs = () => verbosity(1).describe('Shows logs of this type up to this verbosity. 0: none, 3: all.');

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
  fields: {
    confirm_step_deletion: off().describe('Asks before a step of a sequence is deleted.'),
    disable_animations: off().describe('Shows no animations.'),
    disable_i18n: off().describe('Shows the web app in English, whatever the language of the browser.'),
    display_trail: on().describe('Shows on the map where the robot has been.'),
    dynamic_map: off().describe(
      'Makes the map as large as the robot’s axes, where their length is known and they stop at their end. Otherwise `map_size_x` and `map_size_y` count.',
    ),
    encoder_figure: off().describe('Shows on the map where the encoders say that the robot is.'),
    hide_webcam_widget: off().describe('Hides webcams.'),
    legend_menu_open: on().describe('Shows the list of layers beside the map.'),
    raw_encoders: off().describe('Shows what the encoders count.'),
    scaled_encoders: off().describe('Shows the position by the encoders.'),
    show_spread: on().describe('Shows how wide plants get.'),
    show_farmbot: on().describe('Shows the robot on the map.'),
    show_plants: on().describe('Shows plants on the map.'),
    show_points: on().describe('Shows points on the map.'),
    x_axis_inverted: off().describe('Swaps the buttons that move along x.'),
    y_axis_inverted: off().describe('Swaps the buttons that move along y.'),
    z_axis_inverted: off().describe('Swaps the buttons that move along z.'),
    bot_origin_quadrant: integer()
      .range(1, 4)
      .default(2)
      .describe(
        'The corner of the map where x and y are 0: 1 is right above, 2 left above, 3 left below, 4 right below.',
      ),
    zoom_level: integer().range(-9, 3).default(-2).describe('How large the web app shows the map.'),
    success_log: shownLogs(),
    busy_log: shownLogs(),
    warn_log: shownLogs(),
    error_log: shownLogs(),
    info_log: shownLogs(),
    fun_log: shownLogs(),
    debug_log: shownLogs(),
    stub_config: off().describe('Kept for older versions of the web app.'),
    show_first_party_farmware: off().describe('Lists the extensions that come with the robot, too.'),
    enable_browser_speak: off().describe('Reads messages with the channel `espeak` aloud.'),
    show_images: on().describe('Shows photos on the map.'),
    // [decision 58]
    photo_filter_begin: custom<string>(timeTextKind).nullable().describe('Shows only photos from this time on.'),
    photo_filter_end: custom<string>(timeTextKind).nullable().describe('Shows only photos until this time.'),
    discard_unsaved: off().describe('Leaves pages with unsaved changes without a question.'),
    xy_swap: off().describe('Turns the map: x goes down, y to the right.'),
    home_button_homing: on().describe('The home button finds home, instead of moving to 0.'),
    show_motor_plot: off().describe('Draws positions over time.'),
    show_historic_points: off().describe('Shows weeds that were removed.'),
    show_sensor_readings: off().describe('Shows values of sensors on the map.'),
    show_dev_menu: off().describe('Shows the web app’s menu for developers.'),
    internal_use: text().max(100_000).nullable().describe('What the web app stores for itself, as text.'),
    time_format_24_hour: off().describe('Shows times with 24 hours.'),
    show_pins: off().describe('Offers pins by their numbers in steps, besides sensors and peripherals.'),
    disable_emergency_unlock_confirmation: on().describe(
      'Unlocks the robot after an emergency stop without a question.',
    ),
    map_size_x: whole(2900).describe('The length of the bed along x.').unit('mm'),
    map_size_y: whole(1230).describe('The length of the bed along y.').unit('mm'),
    expand_step_options: off().describe('Shows all options of steps.'),
    hide_sensors: off().describe('Hides sensors.'),
    confirm_plant_deletion: on().describe('Asks before a plant is deleted.'),
    confirm_sequence_deletion: on().describe('Asks before a sequence is deleted.'),
    discard_unsaved_sequences: off().describe('Leaves a changed sequence without a question.'),
    user_interface_read_only_mode: off().describe('Keeps the web app from changing anything.'),
    assertion_log: shownLogs(),
    show_zones: off().describe('Shows the areas of groups on the map.'),
    show_weeds: on().describe('Shows weeds on the map.'),
    display_map_missed_steps: off().describe('Shows on the map where motors missed steps.'),
    time_format_seconds: off().describe('Shows times with seconds.'),
    crop_images: on().describe('Cuts turned photos to rectangles.'),
    show_camera_view_area: on().describe('Shows on the map what the camera sees.'),
    view_celery_script: off().describe('Shows sequences as JSON, too.'),
    highlight_modified_settings: on().describe('Marks settings that differ from their defaults.'),
    show_advanced_settings: off().describe('Shows all settings.'),
    show_soil_interpolation_map: off().describe('Shows the height of the soil as colors.'),
    show_moisture_interpolation_map: off().describe('Shows the moisture of the soil as colors.'),
    clip_image_layer: on().describe('Cuts photos off at the edge of the bed.'),
    beep_verbosity: verbosity(0).describe('Makes a sound for logs up to this verbosity. 0: never.'),
    landing_page: text().max(100).default('plants').describe('The page of the web app that opens first.'),
    go_button_axes: oneOf('X', 'Y', 'Z', 'XY', 'XYZ').default('XY').describe('Which axes a go button moves.'),
    show_uncropped_camera_view_area: off().describe('Shows on the map what the camera sees before photos are cut.'),
    default_plant_depth: whole(5).describe('The planting depth of new plants.').unit('mm'),
    show_missed_step_plot: off().describe('Draws missed steps over time.'),
    enable_3d_electronics_box_top: on().describe(
      'Draws the box of the electronics with its top in the settings of buttons.',
    ),
    // [decision 24]
    three_d_garden: on().describe('Shows the garden in three dimensions.'),
    dark_mode: on().describe('Shows the web app in dark colors.'),
    top_down_view: off().describe('Shows the garden in three dimensions from above.'),
    viewpoint_heading: whole(30)
      .describe('From which direction the garden in three dimensions is seen.')
      .unit('degrees'),
    show_scene_objects: on().describe('Shows objects around the garden in three dimensions.'),
    show_controls_overlay: on().describe('Shows the controls over the map.'),
  },
});
