import { group } from '../engine/field-groups.ts';

/** THE list of the groups of settings, in their order. */
export const settingGroups = {
  device: [
    group('Garden', 'Jardin', /^(name|timezone|indoor)$/),
    group('Place', 'Lieu', /^(lat|lng)$/),
    group('Robot', 'Robot', /^(mounted_tool_id|ota_hour|rpi|fb_order_number)$/),
  ],
  os: [
    group('Heights and movement', 'Hauteurs et mouvements', /_height$|^default_axis_order$/),
    group(
      'Start and network',
      'Démarrage et réseau',
      /^(boot_sequence_id|network_not_found_timer|disable_factory_reset)$/,
    ),
    group('Updates', 'Mises à jour', /update/),
    group('What the robot logs', 'Ce que le robot journalise', /_log$|_messages$/),
    group('Electronics', 'Électronique', /^firmware_(hardware|path)$/),
  ],
  firmware: [
    group('Length of the axes', 'Longueur des axes', /^movement_(axis_nr_steps|stop_at|home_up|step_per_mm)/),
    group('Speed', 'Vitesse', /^movement_((max|min)_spd|steps_acc_dec)/),
    group('Home and measuring the axes', 'Origine et mesure des axes', /^movement_(home|calibration)_/),
    group(
      'Motors',
      'Moteurs',
      /^movement_(secondary_motor|invert_motor|keep_active|microsteps|motor_current|axis_stealth)/,
    ),
    group('Limit switches', 'Interrupteurs de fin de course', /^movement_(enable|invert|invert_2)_endpoints/),
    group('Encoders and blocking', 'Encodeurs et blocages', /^encoder_|^movement_stall_sensitivity/),
    group('Failed movements', 'Mouvements en échec', /^movement_timeout|^param_(e_stop_on_mov_err|mov_nr_retry)$/),
    group('Pin guards', 'Surveillance des broches', /^pin_guard_/),
    group('Reported pins', 'Broches signalées', /^pin_report_/),
    group('Parameters', 'Paramètres', /^param_/),
  ],
  webApp: [
    group('Bed', 'Planche', /^(map_size_|dynamic_map$|bot_origin_quadrant$|xy_swap$|default_plant_depth$)/),
    group(
      'Layers of the map',
      'Calques du plan',
      /^(show_(spread|farmbot|plants|points|weeds|zones|sensor_readings|historic_points|.*interpolation_map)|display_trail)$/,
    ),
    group('Photos on the map', 'Photos sur le plan', /image|^photo_|_camera_view_area$/),
    group('Logs that are shown', 'Journaux affichés', /_log$|^beep_|_speak$/),
    group(
      'Controls',
      'Commandes',
      /_axis_inverted$|^(home_button_homing|go_button_axes|hide_sensors|hide_webcam_widget)$/,
    ),
    group('Questions before changes', 'Questions avant les changements', /^(confirm|discard|disable_emergency)_/),
    group(
      'Three dimensions',
      'Trois dimensions',
      /^(three_d_garden|enable_3d_.*|top_down_view|viewpoint_heading|show_(scene_objects|controls_overlay))$/,
    ),
    group('Plots and encoders', 'Courbes et encodeurs', /encoder|_plot$|missed_steps$/),
    group('Pages and times', 'Pages et heures', /./),
  ],
};
