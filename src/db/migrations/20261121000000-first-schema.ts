import type { Column } from '../columns.ts';
import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Returns a column of this type for each name. */
const each = (type: Column, names: string): Record<string, Column> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type]),
  );

/** The schema of release 0.1.0. */
export const firstSchema: Migration = {
  number: 20261121000000,
  name: 'first schema',
  change(schema) {
    schema.createTable(
      'devices',
      {
        fb_order_number: column.text().nullable(),
        fbos_version: column.text().nullable(),
        indoor: column.boolean(),
        last_saw_api: column.time().nullable(),
        lat: column.float().nullable(),
        lng: column.float().nullable(),
        mounted_tool_id: column.bigint().nullable(),
        name: column.text(),
        ota_hour_utc: column.integer().nullable(),
        ota_hour: column.integer().nullable(),
        rpi: column.text().nullable(),
        serial_number: column.text().nullable(),
        setup_completed_at: column.time().nullable(),
        account_seeded_at: column.time().nullable(),
        throttled_at: column.time().nullable(),
        throttled_until: column.time().nullable(),
        timezone: column.text().nullable(),
        max_log_age_in_days: column.integer(),
        max_sequence_count: column.integer(),
        max_sequence_length: column.integer(),
        max_log_count: column.integer(),
        max_images_count: column.integer(),
        first_saw_api: column.time().nullable(),
        last_ota_attempt_at: column.time().nullable(),
        update_requested_at: column.time().nullable(),
        last_watchdog: column.time().nullable(),
        mqtt_rate_limit_email_sent_at: column.time().nullable(),
        last_saw_broker: column.time().nullable(),
      },
      { unique: [['fb_order_number']] },
    );
    schema.createTable(
      'users',
      {
        device_id: column.bigint().references('devices'),
        name: column.text().nullable(),
        email: column.text(),
        password_hash: column.text(),
        language: column.text().nullable(),
        confirmed_at: column.time().nullable(),
        confirmation_token: column.text(),
        unconfirmed_email: column.text().nullable(),
        agreed_to_terms_at: column.time().nullable(),
        inactivity_warning_sent_at: column.time().nullable(),
        sign_in_count: column.integer(),
        current_sign_in_at: column.time().nullable(),
        last_sign_in_at: column.time().nullable(),
        current_sign_in_ip: column.text().nullable(),
        last_sign_in_ip: column.text().nullable(),
      },
      { unique: [['email'], ['confirmation_token']], indexes: [['device_id']] },
    );
    schema.createTable(
      'token_issuances',
      {
        device_id: column.bigint().references('devices'),
        jti: column.text(),
        aud: column.text(),
        exp: column.bigint(),
      },
      { unique: [['jti', 'device_id']], indexes: [['device_id'], ['exp']] },
    );
    schema.createTable(
      'used_reset_tokens',
      {
        jti: column.text(),
        exp: column.bigint(),
      },
      { unique: [['jti']], indexes: [['exp']] },
    );
    schema.createTable(
      'broker_sessions',
      {
        device_id: column.bigint().references('devices'),
        client_id: column.text(),
        jti: column.text(),
      },
      { unique: [['device_id', 'client_id']], indexes: [['client_id']] },
    );
    schema.createTable(
      'server_keys',
      {
        name: column.text(),
        pem: column.text(),
      },
      { unique: [['name']] },
    );
    schema.createTable(
      'global_config',
      {
        key: column.text(),
        value: column.text(),
      },
      { unique: [['key']] },
    );
    schema.createTable(
      'global_bulletins',
      {
        href: column.text().nullable(),
        href_label: column.text().nullable(),
        slug: column.text(),
        title: column.text().nullable(),
        type: column.text(),
        content: column.text(),
      },
      { unique: [['slug']] },
    );
    schema.createTable(
      'releases',
      {
        image_url: column.text(),
        version: column.text(),
        platform: column.text(),
        channel: column.text(),
        dot_img_url: column.text().nullable(),
      },
      { unique: [['version', 'platform', 'channel']], indexes: [['platform', 'channel', 'created_at']] },
    );
    schema.createTable(
      'jobs',
      {
        kind: column.text(),
        payload: column.json(),
        run_at: column.time(),
        attempts: column.integer(),
        max_attempts: column.integer(),
        locked_until: column.time().nullable(),
        locked_by: column.text().nullable(),
        last_error: column.text().nullable(),
        failed_at: column.time().nullable(),
        device_id: column.bigint().nullable(),
      },
      { indexes: [['run_at'], ['device_id']] },
    );
    schema.createTable(
      'job_schedules',
      {
        name: column.text(),
        next_at: column.time(),
      },
      { unique: [['name']] },
    );
    schema.createTable(
      'events',
      {
        device_id: column.bigint().references('devices'),
        resource: column.text(),
        record_id: column.bigint(),
        label: column.text(),
        origin: column.text(),
        body: column.text().nullable(),
        claimed_until: column.time(),
      },
      { indexes: [['device_id'], ['claimed_until']] },
    );
    schema.createTable(
      'farm_events',
      {
        device_id: column.bigint().references('devices'),
        start_time: column.time().nullable(),
        end_time: column.time().nullable(),
        repeat: column.integer(),
        time_unit: column.text(),
        executable_type: column.text(),
        executable_id: column.bigint(),
        body: column.json(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'farmware_envs',
      {
        device_id: column.bigint().references('devices'),
        key: column.text(),
        value: column.json(),
      },
      { unique: [['device_id', 'key']] },
    );
    schema.createTable(
      'farmware_installations',
      {
        device_id: column.bigint().references('devices'),
        url: column.text(),
        package: column.text().nullable(),
        package_error: column.text().nullable(),
      },
      { unique: [['device_id', 'url']] },
    );
    schema.createTable(
      'peripherals',
      {
        device_id: column.bigint().references('devices'),
        pin: column.integer(),
        label: column.text(),
        mode: column.integer(),
      },
      { unique: [['device_id', 'pin']] },
    );
    schema.createTable(
      'folders',
      {
        device_id: column.bigint().references('devices'),
        parent_id: column.bigint().nullable().references('folders', 'no action'),
        color: column.text(),
        name: column.text(),
      },
      { indexes: [['device_id'], ['parent_id']] },
    );
    schema.createTable(
      'sequences',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        color: column.text(),
        folder_id: column.bigint().nullable().references('folders', 'set null'),
        pinned: column.boolean(),
        forked: column.boolean(),
        description: column.text().nullable(),
        copyright: column.text().nullable(),
        sequence_version_id: column.bigint().nullable(),
        args: column.json(),
        body: column.json(),
      },
      { unique: [['device_id', 'name']], indexes: [['folder_id']] },
    );
    schema.createTable(
      'pin_bindings',
      {
        device_id: column.bigint().references('devices'),
        sequence_id: column.bigint().nullable().references('sequences', 'no action'),
        special_action: column.text().nullable(),
        pin_num: column.integer(),
      },
      { unique: [['device_id', 'pin_num']], indexes: [['sequence_id']] },
    );
    schema.createTable(
      'curves',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        type: column.text(),
        data: column.json(),
      },
      { unique: [['device_id', 'name']] },
    );
    schema.createTable(
      'tools',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        flow_rate_ml_per_s: column.integer(),
        seeder_tip_z_offset: column.float(),
      },
      { unique: [['device_id', 'name']] },
    );
    schema.createTable(
      'points',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        pointer_type: column.text(),
        meta: column.json(),
        x: column.float(),
        y: column.float(),
        z: column.float(),
        radius: column.float(),
        discarded_at: column.time().nullable(),
        openfarm_slug: column.text(),
        plant_stage: column.text(),
        planted_at: column.time().nullable(),
        depth: column.integer(),
        water_curve_id: column.bigint().nullable().references('curves', 'set null'),
        spread_curve_id: column.bigint().nullable().references('curves', 'set null'),
        height_curve_id: column.bigint().nullable().references('curves', 'set null'),
        tool_id: column.bigint().nullable().references('tools', 'no action'),
        pullout_direction: column.integer(),
        gantry_mounted: column.boolean(),
      },
      {
        unique: [['tool_id']],
        indexes: [['device_id', 'discarded_at'], ['water_curve_id'], ['spread_curve_id'], ['height_curve_id']],
      },
    );
    schema.createTable(
      'regimens',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        color: column.text().nullable(),
        body: column.json(),
      },
      { unique: [['device_id', 'name']] },
    );
    schema.createTable(
      'sensors',
      {
        device_id: column.bigint().references('devices'),
        pin: column.integer(),
        label: column.text(),
        mode: column.integer(),
      },
      { unique: [['device_id', 'pin']] },
    );
    schema.createTable(
      'fbos_configs',
      {
        device_id: column.bigint().references('devices'),
        disable_factory_reset: column.boolean().nullable(),
        firmware_input_log: column.boolean().nullable(),
        firmware_output_log: column.boolean().nullable(),
        sequence_body_log: column.boolean().nullable(),
        sequence_complete_log: column.boolean().nullable(),
        sequence_init_log: column.boolean().nullable(),
        network_not_found_timer: column.integer().nullable(),
        firmware_hardware: column.text().nullable(),
        os_auto_update: column.boolean().nullable(),
        arduino_debug_messages: column.boolean().nullable(),
        firmware_path: column.text().nullable(),
        firmware_debug_log: column.boolean().nullable(),
        update_channel: column.text().nullable(),
        boot_sequence_id: column.bigint().nullable().references('sequences', 'no action'),
        safe_height: column.integer().nullable(),
        soil_height: column.integer().nullable(),
        gantry_height: column.integer().nullable(),
        default_axis_order: column.text().nullable(),
      },
      { unique: [['device_id']], indexes: [['boot_sequence_id']] },
    );
    schema.createTable(
      'firmware_configs',
      {
        device_id: column.bigint().references('devices'),
        ...each(
          column.integer().nullable(),
          `
          encoder_enabled_x encoder_enabled_y encoder_enabled_z encoder_invert_x encoder_invert_y
          encoder_invert_z encoder_missed_steps_decay_x encoder_missed_steps_decay_y
          encoder_missed_steps_decay_z encoder_missed_steps_max_x encoder_missed_steps_max_y
          encoder_missed_steps_max_z encoder_scaling_x encoder_scaling_y encoder_scaling_z encoder_type_x
          encoder_type_y encoder_type_z encoder_use_for_pos_x encoder_use_for_pos_y encoder_use_for_pos_z
          movement_axis_nr_steps_x movement_axis_nr_steps_y movement_axis_nr_steps_z
          movement_enable_endpoints_x movement_enable_endpoints_y movement_enable_endpoints_z
          movement_home_at_boot_x movement_home_at_boot_y movement_home_at_boot_z movement_home_spd_x
          movement_home_spd_y movement_home_spd_z movement_home_up_x movement_home_up_y movement_home_up_z
          movement_invert_endpoints_x movement_invert_endpoints_y movement_invert_endpoints_z
          movement_invert_motor_x movement_invert_motor_y movement_invert_motor_z movement_keep_active_x
          movement_keep_active_y movement_keep_active_z movement_max_spd_x movement_max_spd_y
          movement_max_spd_z movement_min_spd_x movement_min_spd_y movement_min_spd_z
          movement_secondary_motor_invert_x movement_secondary_motor_x
        `,
        ),
        movement_step_per_mm_x: column.float().nullable(),
        movement_step_per_mm_y: column.float().nullable(),
        movement_step_per_mm_z: column.float().nullable(),
        ...each(
          column.integer().nullable(),
          `
          movement_steps_acc_dec_x movement_steps_acc_dec_y movement_steps_acc_dec_z movement_stop_at_home_x
          movement_stop_at_home_y movement_stop_at_home_z movement_stop_at_max_x movement_stop_at_max_y
          movement_stop_at_max_z movement_timeout_x movement_timeout_y movement_timeout_z param_config_ok
          param_e_stop_on_mov_err param_mov_nr_retry param_test param_use_eeprom param_version
          pin_guard_1_active_state pin_guard_1_pin_nr pin_guard_1_time_out pin_guard_2_active_state
          pin_guard_2_pin_nr pin_guard_2_time_out pin_guard_3_active_state pin_guard_3_pin_nr
          pin_guard_3_time_out pin_guard_4_active_state pin_guard_4_pin_nr pin_guard_4_time_out
          pin_guard_5_active_state pin_guard_5_pin_nr pin_guard_5_time_out movement_invert_2_endpoints_x
          movement_invert_2_endpoints_y movement_invert_2_endpoints_z movement_microsteps_x
          movement_microsteps_y movement_microsteps_z movement_motor_current_x movement_motor_current_y
          movement_motor_current_z movement_stall_sensitivity_x movement_stall_sensitivity_y
          movement_stall_sensitivity_z movement_min_spd_z2 movement_max_spd_z2 movement_steps_acc_dec_z2
          movement_calibration_retry_x movement_calibration_retry_y movement_calibration_retry_z
          movement_calibration_deadzone_x movement_calibration_deadzone_y movement_calibration_deadzone_z
          movement_axis_stealth_x movement_axis_stealth_y movement_axis_stealth_z
          movement_calibration_retry_total_x movement_calibration_retry_total_y
          movement_calibration_retry_total_z pin_report_1_pin_nr pin_report_2_pin_nr
        `,
        ),
      },
      { unique: [['device_id']] },
    );
    schema.createTable(
      'point_groups',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        sort_type: column.text(),
        criteria: column.json(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'sensor_readings',
      {
        device_id: column.bigint().references('devices'),
        mode: column.integer(),
        pin: column.integer(),
        value: column.integer(),
        x: column.float().nullable(),
        y: column.float().nullable(),
        z: column.float().nullable(),
        read_at: column.time(),
      },
      { indexes: [['device_id', 'created_at']] },
    );
    schema.createTable(
      'ai_usages',
      {
        device_id: column.bigint().references('devices'),
        asked_at: column.time(),
        in_minute: column.integer(),
        in_hour: column.integer(),
        in_day: column.integer(),
      },
      { unique: [['device_id']] },
    );
    schema.createTable(
      'ai_feedbacks',
      {
        device_id: column.bigint().references('devices'),
        prompt: column.text().nullable(),
        reaction: column.text().nullable(),
        model: column.text().nullable(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'alerts',
      {
        device_id: column.bigint().references('devices'),
        priority: column.integer(),
        problem_tag: column.text(),
        slug: column.text(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'logs',
      {
        device_id: column.bigint().references('devices'),
        channels: column.json(),
        message: column.text(),
        major_version: column.integer().nullable(),
        minor_version: column.integer().nullable(),
        patch_version: column.integer().nullable(),
        type: column.text(),
        verbosity: column.integer(),
        x: column.float().nullable(),
        y: column.float().nullable(),
        z: column.float().nullable(),
        mail: column.text().nullable(),
        sent_at: column.time().nullable(),
      },
      { indexes: [['device_id', 'created_at']] },
    );
    schema.createTable(
      'saved_gardens',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        notes: column.text().nullable(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'plant_templates',
      {
        device_id: column.bigint().references('devices'),
        saved_garden_id: column.bigint().references('saved_gardens'),
        name: column.text(),
        openfarm_slug: column.text(),
        x: column.float(),
        y: column.float(),
        z: column.float(),
        radius: column.float(),
      },
      { indexes: [['device_id'], ['saved_garden_id']] },
    );
    schema.createTable(
      'scene_objects',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        texture: column.text(),
        color: column.text(),
        show: column.boolean(),
        shape: column.text(),
        x_origin: column.text(),
        y_origin: column.text(),
        z_origin: column.text(),
        x_center: column.integer(),
        y_center: column.integer(),
        z_base: column.integer(),
        x_size: column.integer(),
        y_size: column.integer(),
        z_size: column.integer(),
        rotation: column.integer(),
      },
      { unique: [['device_id', 'name']] },
    );
    schema.createTable(
      'telemetries',
      {
        device_id: column.bigint().references('devices'),
        soc_temp: column.integer().nullable(),
        throttled: column.text().nullable(),
        wifi_level_percent: column.integer().nullable(),
        uptime: column.integer().nullable(),
        memory_usage: column.integer().nullable(),
        disk_usage: column.integer().nullable(),
        cpu_usage: column.integer().nullable(),
        target: column.text(),
        fbos_version: column.text().nullable(),
        firmware_hardware: column.text().nullable(),
      },
      { indexes: [['device_id', 'created_at']] },
    );
    schema.createTable(
      'web_app_configs',
      {
        device_id: column.bigint().references('devices'),
        ...each(
          column.boolean().nullable(),
          `
          confirm_step_deletion disable_animations disable_i18n display_trail dynamic_map encoder_figure
          hide_webcam_widget legend_menu_open raw_encoders scaled_encoders show_spread show_farmbot
          show_plants show_points x_axis_inverted y_axis_inverted z_axis_inverted
        `,
        ),
        ...each(
          column.integer().nullable(),
          `
          bot_origin_quadrant zoom_level success_log busy_log warn_log error_log info_log fun_log debug_log
        `,
        ),
        stub_config: column.boolean().nullable(),
        show_first_party_farmware: column.boolean().nullable(),
        enable_browser_speak: column.boolean().nullable(),
        show_images: column.boolean().nullable(),
        photo_filter_begin: column.text().nullable(),
        photo_filter_end: column.text().nullable(),
        discard_unsaved: column.boolean().nullable(),
        xy_swap: column.boolean().nullable(),
        home_button_homing: column.boolean().nullable(),
        show_motor_plot: column.boolean().nullable(),
        show_historic_points: column.boolean().nullable(),
        show_sensor_readings: column.boolean().nullable(),
        show_dev_menu: column.boolean().nullable(),
        internal_use: column.text().nullable(),
        time_format_24_hour: column.boolean().nullable(),
        show_pins: column.boolean().nullable(),
        disable_emergency_unlock_confirmation: column.boolean().nullable(),
        map_size_x: column.integer().nullable(),
        map_size_y: column.integer().nullable(),
        expand_step_options: column.boolean().nullable(),
        hide_sensors: column.boolean().nullable(),
        confirm_plant_deletion: column.boolean().nullable(),
        confirm_sequence_deletion: column.boolean().nullable(),
        discard_unsaved_sequences: column.boolean().nullable(),
        user_interface_read_only_mode: column.boolean().nullable(),
        assertion_log: column.integer().nullable(),
        ...each(
          column.boolean().nullable(),
          `
          show_zones show_weeds display_map_missed_steps time_format_seconds crop_images show_camera_view_area
          view_celery_script highlight_modified_settings show_advanced_settings show_soil_interpolation_map
          show_moisture_interpolation_map clip_image_layer
        `,
        ),
        beep_verbosity: column.integer().nullable(),
        landing_page: column.text().nullable(),
        go_button_axes: column.text(),
        show_uncropped_camera_view_area: column.boolean().nullable(),
        default_plant_depth: column.integer().nullable(),
        show_missed_step_plot: column.boolean().nullable(),
        enable_3d_electronics_box_top: column.boolean().nullable(),
        three_d_garden: column.boolean().nullable(),
        dark_mode: column.boolean().nullable(),
        top_down_view: column.boolean().nullable(),
        viewpoint_heading: column.integer().nullable(),
        show_scene_objects: column.boolean().nullable(),
        show_controls_overlay: column.boolean().nullable(),
      },
      { unique: [['device_id']] },
    );
    schema.createTable(
      'uploads',
      {
        device_id: column.bigint().references('devices'),
        key: column.text(),
        signature: column.text(),
        expires_at: column.time(),
        uploaded_at: column.time().nullable(),
      },
      { unique: [['key']], indexes: [['device_id', 'expires_at'], ['created_at']] },
    );
    schema.createTable(
      'images',
      {
        device_id: column.bigint().references('devices'),
        attachment_processed_at: column.time().nullable(),
        attachment_url: column.text(),
        meta: column.json(),
        origin: column.text(),
        photo_key: column.text(),
        photo_type: column.text().nullable(),
        upload_key: column.text().nullable(),
      },
      { indexes: [['device_id', 'created_at'], ['upload_key']] },
    );
    schema.createTable(
      'webcam_feeds',
      {
        device_id: column.bigint().references('devices'),
        url: column.text(),
        name: column.text(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'wizard_step_results',
      {
        device_id: column.bigint().references('devices'),
        answer: column.boolean().nullable(),
        outcome: column.text().nullable(),
        slug: column.text(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'regimen_items',
      {
        device_id: column.bigint().references('devices'),
        regimen_id: column.bigint().references('regimens'),
        sequence_id: column.bigint().references('sequences', 'no action'),
        time_offset: column.bigint(),
      },
      { indexes: [['device_id'], ['regimen_id'], ['sequence_id']] },
    );
    schema.createTable(
      'point_group_items',
      {
        device_id: column.bigint().references('devices'),
        point_group_id: column.bigint().references('point_groups'),
        point_id: column.bigint().references('points'),
      },
      { unique: [['point_group_id', 'point_id']], indexes: [['device_id'], ['point_id']] },
    );
    schema.createTable(
      'program_references',
      {
        device_id: column.bigint().references('devices'),
        owner_kind: column.text(),
        owner_id: column.bigint(),
        target_kind: column.text(),
        target_id: column.bigint(),
      },
      {
        unique: [['device_id', 'owner_kind', 'owner_id', 'target_kind', 'target_id']],
        indexes: [['device_id', 'target_kind', 'target_id']],
      },
    );
    schema.createTable(
      'sequence_publications',
      {
        device_id: column.bigint().nullable().references('devices', 'set null'),
        author_sequence_id: column.bigint(),
        cached_author_email: column.text(),
        published: column.boolean(),
      },
      { unique: [['author_sequence_id']], indexes: [['device_id'], ['cached_author_email']] },
    );
    schema.createTable(
      'sequence_versions',
      {
        publication_id: column.bigint().references('sequence_publications'),
        name: column.text(),
        color: column.text(),
        description: column.text().nullable(),
        copyright: column.text().nullable(),
        withdrawn_at: column.time().nullable(),
        args: column.json(),
        body: column.json(),
      },
      { indexes: [['publication_id']] },
    );
  },
};
