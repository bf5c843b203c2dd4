create table account_quotas (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "quota" text not null,
  "value" integer not null
) strict;
CREATE UNIQUE INDEX "account_quotas_device_id_quota_key" on "account_quotas" ("device_id", "quota");

create table ai_feedbacks (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "prompt" text,
  "reaction" text,
  "model" text
) strict;
CREATE INDEX "ai_feedbacks_device_id_index" on "ai_feedbacks" ("device_id");

create table ai_questions (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "asked_at" text not null
) strict;
CREATE INDEX "ai_questions_asked_at_index" on "ai_questions" ("asked_at");

create table ai_usages (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "asked_at" text not null,
  "in_minute" integer not null,
  "in_hour" integer not null,
  "in_day" integer not null
) strict;
CREATE UNIQUE INDEX "ai_usages_device_id_key" on "ai_usages" ("device_id");

create table alerts (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "priority" integer not null,
  "problem_tag" text not null,
  "slug" text not null
) strict;
CREATE INDEX "alerts_device_id_index" on "alerts" ("device_id");

create table broker_sessions (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "client_id" text not null,
  "jti" text not null
) strict;
CREATE INDEX "broker_sessions_client_id_index" on "broker_sessions" ("client_id");
CREATE UNIQUE INDEX "broker_sessions_device_id_client_id_key" on "broker_sessions" ("device_id", "client_id");

create table calendar_feeds (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "secret_hash" text not null
) strict;
CREATE UNIQUE INDEX "calendar_feeds_device_id_user_id_key" on "calendar_feeds" ("device_id", "user_id");
CREATE UNIQUE INDEX "calendar_feeds_secret_hash_key" on "calendar_feeds" ("secret_hash");
CREATE INDEX "calendar_feeds_user_id_index" on "calendar_feeds" ("user_id");

create table change_cursors (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "reader" text not null,
  "position" integer not null,
  "claimed_by" text,
  "claimed_until" text not null
) strict;
CREATE UNIQUE INDEX "change_cursors_device_id_reader_key" on "change_cursors" ("device_id", "reader");

create table changes (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "request" text not null,
  "actor_kind" text not null,
  "actor_user_id" integer,
  "actor_name" text,
  "actor_via" text,
  "resource" text not null,
  "record_id" integer not null,
  "action" text not null,
  "byte_size" integer not null,
  "before" text,
  "after" text,
  "label" text not null,
  "origin" text not null
) strict;
CREATE INDEX "changes_device_id_id_byte_size_index" on "changes" ("device_id", "id", "byte_size");
CREATE INDEX "changes_device_id_resource_record_id_index" on "changes" ("device_id", "resource", "record_id");

create table curves (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "type" text not null,
  "data" text not null
) strict;
CREATE UNIQUE INDEX "curves_device_id_name_key" on "curves" ("device_id", "name");

create table devices (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "fb_order_number" text,
  "fbos_version" text,
  "indoor" integer not null check ("indoor" in (0, 1)),
  "last_saw_api" text,
  "lat" real,
  "lng" real,
  "mounted_tool_id" integer,
  "name" text not null,
  "ota_hour_utc" integer,
  "ota_hour" integer,
  "rpi" text,
  "serial_number" text,
  "setup_completed_at" text,
  "account_seeded_at" text,
  "throttled_at" text,
  "throttled_until" text,
  "timezone" text,
  "max_log_age_in_days" integer not null,
  "max_sequence_count" integer not null,
  "max_sequence_length" integer not null,
  "max_log_count" integer not null,
  "max_images_count" integer not null,
  "first_saw_api" text,
  "last_ota_attempt_at" text,
  "update_requested_at" text,
  "last_watchdog" text,
  "mqtt_rate_limit_email_sent_at" text,
  "last_saw_broker" text,
  "photos_full_notified_at" text,
  "commits" integer,
  "max_point_count" integer
) strict;
CREATE UNIQUE INDEX "devices_fb_order_number_key" on "devices" ("fb_order_number");

create table email_changes (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "user_id" integer not null references "users" (id) on delete cascade,
  "old_email" text not null,
  "new_email" text not null,
  "is_pending" integer not null check ("is_pending" in (0, 1))
) strict;
CREATE INDEX "email_changes_old_email_index" on "email_changes" ("old_email");
CREATE INDEX "email_changes_user_id_index" on "email_changes" ("user_id");

create table farm_events (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "start_time" text,
  "end_time" text,
  "repeat" integer not null,
  "time_unit" text not null,
  "executable_type" text not null,
  "executable_id" integer not null,
  "body" text not null
) strict;
CREATE INDEX "farm_events_device_id_index" on "farm_events" ("device_id");

create table farmware_envs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "key" text not null,
  "value" text not null
) strict;
CREATE UNIQUE INDEX "farmware_envs_device_id_key_key" on "farmware_envs" ("device_id", "key");

create table farmware_installations (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "url" text not null,
  "package" text,
  "package_error" text
) strict;
CREATE UNIQUE INDEX "farmware_installations_device_id_url_key" on "farmware_installations" ("device_id", "url");

create table fbos_configs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "disable_factory_reset" integer not null check ("disable_factory_reset" in (0, 1)),
  "firmware_input_log" integer not null check ("firmware_input_log" in (0, 1)),
  "firmware_output_log" integer not null check ("firmware_output_log" in (0, 1)),
  "sequence_body_log" integer not null check ("sequence_body_log" in (0, 1)),
  "sequence_complete_log" integer not null check ("sequence_complete_log" in (0, 1)),
  "sequence_init_log" integer not null check ("sequence_init_log" in (0, 1)),
  "network_not_found_timer" integer,
  "firmware_hardware" text,
  "os_auto_update" integer not null check ("os_auto_update" in (0, 1)),
  "arduino_debug_messages" integer not null check ("arduino_debug_messages" in (0, 1)),
  "firmware_path" text,
  "firmware_debug_log" integer not null check ("firmware_debug_log" in (0, 1)),
  "update_channel" text not null,
  "boot_sequence_id" integer references "sequences" (id) on delete no action,
  "safe_height" integer not null,
  "soil_height" integer not null,
  "gantry_height" integer not null,
  "default_axis_order" text not null
) strict;
CREATE INDEX "fbos_configs_boot_sequence_id_index" on "fbos_configs" ("boot_sequence_id");
CREATE UNIQUE INDEX "fbos_configs_device_id_key" on "fbos_configs" ("device_id");

create table feedbacks (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "message" text not null,
  "slug" text
) strict;
CREATE INDEX "feedbacks_device_id_created_at_index" on "feedbacks" ("device_id", "created_at");
CREATE INDEX "feedbacks_user_id_index" on "feedbacks" ("user_id");

create table firmware_configs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "encoder_enabled_x" integer not null,
  "encoder_enabled_y" integer not null,
  "encoder_enabled_z" integer not null,
  "encoder_invert_x" integer not null,
  "encoder_invert_y" integer not null,
  "encoder_invert_z" integer not null,
  "encoder_missed_steps_decay_x" integer not null,
  "encoder_missed_steps_decay_y" integer not null,
  "encoder_missed_steps_decay_z" integer not null,
  "encoder_missed_steps_max_x" integer not null,
  "encoder_missed_steps_max_y" integer not null,
  "encoder_missed_steps_max_z" integer not null,
  "encoder_scaling_x" integer not null,
  "encoder_scaling_y" integer not null,
  "encoder_scaling_z" integer not null,
  "encoder_type_x" integer not null,
  "encoder_type_y" integer not null,
  "encoder_type_z" integer not null,
  "encoder_use_for_pos_x" integer not null,
  "encoder_use_for_pos_y" integer not null,
  "encoder_use_for_pos_z" integer not null,
  "movement_axis_nr_steps_x" integer not null,
  "movement_axis_nr_steps_y" integer not null,
  "movement_axis_nr_steps_z" integer not null,
  "movement_enable_endpoints_x" integer not null,
  "movement_enable_endpoints_y" integer not null,
  "movement_enable_endpoints_z" integer not null,
  "movement_home_at_boot_x" integer not null,
  "movement_home_at_boot_y" integer not null,
  "movement_home_at_boot_z" integer not null,
  "movement_home_spd_x" integer not null,
  "movement_home_spd_y" integer not null,
  "movement_home_spd_z" integer not null,
  "movement_home_up_x" integer not null,
  "movement_home_up_y" integer not null,
  "movement_home_up_z" integer not null,
  "movement_invert_endpoints_x" integer not null,
  "movement_invert_endpoints_y" integer not null,
  "movement_invert_endpoints_z" integer not null,
  "movement_invert_motor_x" integer not null,
  "movement_invert_motor_y" integer not null,
  "movement_invert_motor_z" integer not null,
  "movement_keep_active_x" integer not null,
  "movement_keep_active_y" integer not null,
  "movement_keep_active_z" integer not null,
  "movement_max_spd_x" integer not null,
  "movement_max_spd_y" integer not null,
  "movement_max_spd_z" integer not null,
  "movement_min_spd_x" integer not null,
  "movement_min_spd_y" integer not null,
  "movement_min_spd_z" integer not null,
  "movement_secondary_motor_invert_x" integer not null,
  "movement_secondary_motor_x" integer not null,
  "movement_step_per_mm_x" real not null,
  "movement_step_per_mm_y" real not null,
  "movement_step_per_mm_z" real not null,
  "movement_steps_acc_dec_x" integer not null,
  "movement_steps_acc_dec_y" integer not null,
  "movement_steps_acc_dec_z" integer not null,
  "movement_stop_at_home_x" integer not null,
  "movement_stop_at_home_y" integer not null,
  "movement_stop_at_home_z" integer not null,
  "movement_stop_at_max_x" integer not null,
  "movement_stop_at_max_y" integer not null,
  "movement_stop_at_max_z" integer not null,
  "movement_timeout_x" integer not null,
  "movement_timeout_y" integer not null,
  "movement_timeout_z" integer not null,
  "param_config_ok" integer not null,
  "param_e_stop_on_mov_err" integer not null,
  "param_mov_nr_retry" integer not null,
  "param_test" integer not null,
  "param_use_eeprom" integer not null,
  "param_version" integer not null,
  "pin_guard_1_active_state" integer not null,
  "pin_guard_1_pin_nr" integer not null,
  "pin_guard_1_time_out" integer not null,
  "pin_guard_2_active_state" integer not null,
  "pin_guard_2_pin_nr" integer not null,
  "pin_guard_2_time_out" integer not null,
  "pin_guard_3_active_state" integer not null,
  "pin_guard_3_pin_nr" integer not null,
  "pin_guard_3_time_out" integer not null,
  "pin_guard_4_active_state" integer not null,
  "pin_guard_4_pin_nr" integer not null,
  "pin_guard_4_time_out" integer not null,
  "pin_guard_5_active_state" integer not null,
  "pin_guard_5_pin_nr" integer not null,
  "pin_guard_5_time_out" integer not null,
  "movement_invert_2_endpoints_x" integer not null,
  "movement_invert_2_endpoints_y" integer not null,
  "movement_invert_2_endpoints_z" integer not null,
  "movement_microsteps_x" integer not null,
  "movement_microsteps_y" integer not null,
  "movement_microsteps_z" integer not null,
  "movement_motor_current_x" integer not null,
  "movement_motor_current_y" integer not null,
  "movement_motor_current_z" integer not null,
  "movement_stall_sensitivity_x" integer not null,
  "movement_stall_sensitivity_y" integer not null,
  "movement_stall_sensitivity_z" integer not null,
  "movement_min_spd_z2" integer not null,
  "movement_max_spd_z2" integer not null,
  "movement_steps_acc_dec_z2" integer not null,
  "movement_calibration_retry_x" integer not null,
  "movement_calibration_retry_y" integer not null,
  "movement_calibration_retry_z" integer not null,
  "movement_calibration_deadzone_x" integer not null,
  "movement_calibration_deadzone_y" integer not null,
  "movement_calibration_deadzone_z" integer not null,
  "movement_axis_stealth_x" integer not null,
  "movement_axis_stealth_y" integer not null,
  "movement_axis_stealth_z" integer not null,
  "movement_calibration_retry_total_x" integer not null,
  "movement_calibration_retry_total_y" integer not null,
  "movement_calibration_retry_total_z" integer not null,
  "pin_report_1_pin_nr" integer not null,
  "pin_report_2_pin_nr" integer not null
) strict;
CREATE UNIQUE INDEX "firmware_configs_device_id_key" on "firmware_configs" ("device_id");

create table folders (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "parent_id" integer references "folders" (id) on delete no action,
  "color" text not null,
  "name" text not null
) strict;
CREATE INDEX "folders_device_id_index" on "folders" ("device_id");
CREATE INDEX "folders_parent_id_index" on "folders" ("parent_id");

create table garden_passwords (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "hash" text not null
) strict;
CREATE UNIQUE INDEX "garden_passwords_device_id_key" on "garden_passwords" ("device_id");
CREATE UNIQUE INDEX "garden_passwords_hash_key" on "garden_passwords" ("hash");

create table global_bulletins (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "href" text,
  "href_label" text,
  "slug" text not null,
  "title" text,
  "type" text not null,
  "content" text not null
) strict;
CREATE UNIQUE INDEX "global_bulletins_slug_key" on "global_bulletins" ("slug");

create table global_config (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "key" text not null,
  "value" text not null
) strict;
CREATE UNIQUE INDEX "global_config_key_key" on "global_config" ("key");

create table home_assistants (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "is_on" integer not null check ("is_on" in (0, 1)),
  "is_allowed" integer not null check ("is_allowed" in (0, 1)),
  "is_published" integer not null check ("is_published" in (0, 1)),
  "lease_by" text,
  "lease_until" text,
  "password_hash" text,
  "password_by" integer
) strict;
CREATE UNIQUE INDEX "home_assistants_device_id_key" on "home_assistants" ("device_id");

create table images (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "attachment_processed_at" text,
  "attachment_url" text not null,
  "meta" text not null,
  "origin" text not null,
  "photo_key" text not null,
  "photo_type" text,
  "upload_key" text,
  "byte_size" integer
) strict;
CREATE INDEX "images_device_id_created_at_index" on "images" ("device_id", "created_at");
CREATE INDEX "images_upload_key_index" on "images" ("upload_key");

create table invitations (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "email" text not null,
  "role" text,
  "invited_by" integer not null references "users" (id) on delete cascade,
  "token_hash" text,
  "is_mailed" integer not null check ("is_mailed" in (0, 1)),
  "expires_at" text not null
) strict;
CREATE INDEX "invitations_device_id_index" on "invitations" ("device_id");
CREATE INDEX "invitations_expires_at_index" on "invitations" ("expires_at");
CREATE INDEX "invitations_invited_by_index" on "invitations" ("invited_by");
CREATE UNIQUE INDEX "invitations_token_hash_key" on "invitations" ("token_hash");

create table job_schedules (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "name" text not null,
  "next_at" text not null
) strict;
CREATE UNIQUE INDEX "job_schedules_name_key" on "job_schedules" ("name");

create table jobs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "kind" text not null,
  "payload" text not null,
  "run_at" text not null,
  "attempts" integer not null,
  "max_attempts" integer not null,
  "locked_until" text,
  "locked_by" text,
  "last_error" text,
  "failed_at" text,
  "device_id" integer,
  "paused_since" text,
  "turn_of" integer,
  "serial_key" text,
  "again" integer check ("again" in (0, 1))
) strict;
CREATE INDEX "jobs_device_id_index" on "jobs" ("device_id");
CREATE INDEX "jobs_run_at_index" on "jobs" ("run_at");
CREATE UNIQUE INDEX "jobs_serial_key_key" on "jobs" ("serial_key");

create table known_networks (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "user_id" integer not null references "users" (id) on delete cascade,
  "network" text not null
) strict;
CREATE UNIQUE INDEX "known_networks_user_id_network_key" on "known_networks" ("user_id", "network");

create table logs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "channels" text not null,
  "message" text not null,
  "major_version" integer,
  "minor_version" integer,
  "patch_version" integer,
  "type" text not null,
  "verbosity" integer not null,
  "x" real,
  "y" real,
  "z" real,
  "mail" text,
  "sent_at" text,
  "posted" integer check ("posted" in (0, 1))
) strict;
CREATE INDEX "logs_device_id_id_index" on "logs" ("device_id", "id");

create table members (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "role" text not null
) strict;
CREATE UNIQUE INDEX "members_device_id_user_id_key" on "members" ("device_id", "user_id");
CREATE INDEX "members_user_id_index" on "members" ("user_id");

create table notification_rules (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "way" text not null,
  "kinds" text not null,
  "address" text,
  "push_keys" text,
  "secret" text,
  "description" text,
  "quiet_from" text,
  "quiet_to" text,
  "active" integer not null check ("active" in (0, 1)),
  "last_error" text,
  "read_id" integer not null
) strict;
CREATE INDEX "notification_rules_device_id_index" on "notification_rules" ("device_id");
CREATE INDEX "notification_rules_user_id_index" on "notification_rules" ("user_id");

create table notifications (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "kind" text not null,
  "message" text not null,
  "at" text not null
) strict;
CREATE INDEX "notifications_device_id_index" on "notifications" ("device_id");

create table peripherals (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "pin" integer not null,
  "label" text not null,
  "mode" integer not null,
  "type" text not null default 'none'
) strict;
CREATE UNIQUE INDEX "peripherals_device_id_pin_key" on "peripherals" ("device_id", "pin");

create table personal_tokens (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "name" text not null,
  "token_hash" text not null,
  "scopes" text not null,
  "expires_at" text,
  "last_used_at" text
) strict;
CREATE INDEX "personal_tokens_device_id_index" on "personal_tokens" ("device_id");
CREATE UNIQUE INDEX "personal_tokens_token_hash_key" on "personal_tokens" ("token_hash");
CREATE INDEX "personal_tokens_user_id_index" on "personal_tokens" ("user_id");

create table pin_bindings (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "sequence_id" integer references "sequences" (id) on delete no action,
  "special_action" text,
  "pin_num" integer not null
) strict;
CREATE UNIQUE INDEX "pin_bindings_device_id_pin_num_key" on "pin_bindings" ("device_id", "pin_num");
CREATE INDEX "pin_bindings_sequence_id_index" on "pin_bindings" ("sequence_id");

create table plant_templates (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "saved_garden_id" integer not null references "saved_gardens" (id) on delete cascade,
  "name" text not null,
  "openfarm_slug" text not null,
  "x" real not null,
  "y" real not null,
  "z" real not null,
  "radius" real not null,
  "planted_at" text,
  "depth" integer not null default 0,
  "water_curve_id" integer references "curves" (id) on delete set null,
  "spread_curve_id" integer references "curves" (id) on delete set null,
  "height_curve_id" integer references "curves" (id) on delete set null
) strict;
CREATE INDEX "plant_templates_device_id_index" on "plant_templates" ("device_id");
CREATE INDEX "plant_templates_height_curve_id_index" on "plant_templates" ("height_curve_id");
CREATE INDEX "plant_templates_saved_garden_id_index" on "plant_templates" ("saved_garden_id");
CREATE INDEX "plant_templates_spread_curve_id_index" on "plant_templates" ("spread_curve_id");
CREATE INDEX "plant_templates_water_curve_id_index" on "plant_templates" ("water_curve_id");

create table point_group_items (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "point_group_id" integer not null references "point_groups" (id) on delete cascade,
  "point_id" integer not null references "points" (id) on delete cascade
) strict;
CREATE INDEX "point_group_items_device_id_index" on "point_group_items" ("device_id");
CREATE UNIQUE INDEX "point_group_items_point_group_id_point_id_key" on "point_group_items" ("point_group_id", "point_id");
CREATE INDEX "point_group_items_point_id_index" on "point_group_items" ("point_id");

create table point_groups (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "sort_type" text not null,
  "criteria" text not null
) strict;
CREATE INDEX "point_groups_device_id_index" on "point_groups" ("device_id");

create table points (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "pointer_type" text not null,
  "meta" text not null,
  "x" real not null,
  "y" real not null,
  "z" real not null,
  "radius" real not null,
  "discarded_at" text,
  "openfarm_slug" text not null,
  "plant_stage" text not null,
  "planted_at" text,
  "depth" integer not null,
  "water_curve_id" integer references "curves" (id) on delete set null,
  "spread_curve_id" integer references "curves" (id) on delete set null,
  "height_curve_id" integer references "curves" (id) on delete set null,
  "tool_id" integer references "tools" (id) on delete no action,
  "pullout_direction" integer not null,
  "gantry_mounted" integer not null check ("gantry_mounted" in (0, 1)),
  "mount_stage" integer not null default 0,
  "mount_offset_x" real not null default 0,
  "mount_offset_y" real not null default 0,
  "mount_offset_z" real not null default 0
) strict;
CREATE INDEX "points_device_id_discarded_at_index" on "points" ("device_id", "discarded_at");
CREATE INDEX "points_height_curve_id_index" on "points" ("height_curve_id");
CREATE INDEX "points_spread_curve_id_index" on "points" ("spread_curve_id");
CREATE UNIQUE INDEX "points_tool_id_key" on "points" ("tool_id");
CREATE INDEX "points_water_curve_id_index" on "points" ("water_curve_id");

create table program_references (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "owner_kind" text not null,
  "owner_id" integer not null,
  "target_kind" text not null,
  "target_id" integer not null
) strict;
CREATE UNIQUE INDEX "program_references_device_id_owner_kind_owner_id_t_129837" on "program_references" ("device_id", "owner_kind", "owner_id", "target_kind", "target_id");
CREATE INDEX "program_references_device_id_target_kind_target_id_index" on "program_references" ("device_id", "target_kind", "target_id");

create table regimen_items (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "regimen_id" integer not null references "regimens" (id) on delete cascade,
  "sequence_id" integer not null references "sequences" (id) on delete no action,
  "time_offset" integer not null
) strict;
CREATE INDEX "regimen_items_device_id_index" on "regimen_items" ("device_id");
CREATE INDEX "regimen_items_regimen_id_index" on "regimen_items" ("regimen_id");
CREATE INDEX "regimen_items_sequence_id_index" on "regimen_items" ("sequence_id");

create table regimens (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "color" text,
  "body" text not null
) strict;
CREATE UNIQUE INDEX "regimens_device_id_name_key" on "regimens" ("device_id", "name");

create table releases (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "image_url" text not null,
  "version" text not null,
  "platform" text not null,
  "channel" text not null,
  "dot_img_url" text
) strict;
CREATE INDEX "releases_platform_channel_created_at_index" on "releases" ("platform", "channel", "created_at");
CREATE UNIQUE INDEX "releases_version_platform_channel_key" on "releases" ("version", "platform", "channel");

create table run_places (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "run_id" integer not null references "runs" (id) on delete cascade,
  "number" integer not null,
  "point_id" integer not null,
  "name" text not null,
  "program" text not null
) strict;
CREATE INDEX "run_places_device_id_index" on "run_places" ("device_id");
CREATE UNIQUE INDEX "run_places_run_id_number_key" on "run_places" ("run_id", "number");

create table runs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "state" text not null,
  "total" integer not null,
  "done" integer not null,
  "skipped" integer not null,
  "point_id" integer,
  "place" text,
  "problem" text,
  "ended_at" text,
  "user_id" integer not null,
  "is_sent" integer not null check ("is_sent" in (0, 1))
) strict;
CREATE INDEX "runs_device_id_index" on "runs" ("device_id");

create table saved_gardens (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "notes" text
) strict;
CREATE INDEX "saved_gardens_device_id_index" on "saved_gardens" ("device_id");

create table scene_objects (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "texture" text not null,
  "color" text not null,
  "show" integer not null check ("show" in (0, 1)),
  "shape" text not null,
  "x_origin" text not null,
  "y_origin" text not null,
  "z_origin" text not null,
  "x_center" integer not null,
  "y_center" integer not null,
  "z_base" integer not null,
  "x_size" integer not null,
  "y_size" integer not null,
  "z_size" integer not null,
  "rotation" integer not null
) strict;
CREATE UNIQUE INDEX "scene_objects_device_id_name_key" on "scene_objects" ("device_id", "name");

create table schema_migrations (
  number integer primary key,
  name text not null,
  applied_at text not null,
  "compatible_from" text
) strict;

create table sensor_readings (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "mode" integer not null,
  "pin" integer not null,
  "value" integer not null,
  "x" real,
  "y" real,
  "z" real,
  "read_at" text not null
) strict;
CREATE INDEX "sensor_readings_device_id_created_at_index" on "sensor_readings" ("device_id", "created_at");

create table sensors (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "pin" integer not null,
  "label" text not null,
  "mode" integer not null,
  "type" text not null default 'none',
  "dry_reading" integer,
  "wet_reading" integer
) strict;
CREATE UNIQUE INDEX "sensors_device_id_pin_key" on "sensors" ("device_id", "pin");

create table sequence_publications (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer references "devices" (id) on delete set null,
  "author_sequence_id" integer not null,
  "cached_author_email" text not null,
  "published" integer not null check ("published" in (0, 1))
) strict;
CREATE UNIQUE INDEX "sequence_publications_author_sequence_id_key" on "sequence_publications" ("author_sequence_id");
CREATE INDEX "sequence_publications_cached_author_email_index" on "sequence_publications" ("cached_author_email");
CREATE INDEX "sequence_publications_device_id_index" on "sequence_publications" ("device_id");

create table sequence_versions (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "publication_id" integer not null references "sequence_publications" (id) on delete cascade,
  "name" text not null,
  "color" text not null,
  "description" text,
  "copyright" text,
  "withdrawn_at" text,
  "args" text not null,
  "body" text not null,
  "byte_size" integer
) strict;
CREATE INDEX "sequence_versions_publication_id_byte_size_index" on "sequence_versions" ("publication_id", "byte_size");

create table sequences (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "color" text not null,
  "folder_id" integer references "folders" (id) on delete set null,
  "pinned" integer not null check ("pinned" in (0, 1)),
  "forked" integer not null check ("forked" in (0, 1)),
  "description" text,
  "copyright" text,
  "sequence_version_id" integer,
  "args" text not null,
  "body" text not null
) strict;
CREATE UNIQUE INDEX "sequences_device_id_name_key" on "sequences" ("device_id", "name");
CREATE INDEX "sequences_folder_id_index" on "sequences" ("folder_id");
CREATE INDEX "sequences_sequence_version_id_index" on "sequences" ("sequence_version_id");

create table series (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "number" integer,
  "compacted_until" integer not null,
  "row_count" integer not null,
  "swept_at" integer not null
) strict;
CREATE UNIQUE INDEX "series_device_id_number_key" on "series" ("device_id", "number");
CREATE INDEX "series_swept_at_index" on "series" ("swept_at");

create table series_quarters (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "series_id" integer not null,
  "at" integer not null,
  "minimum" real not null,
  "maximum" real not null,
  "total" real not null,
  "readings" integer not null
) strict;
CREATE UNIQUE INDEX "series_quarters_device_id_series_id_at_key" on "series_quarters" ("device_id", "series_id", "at");

create table series_samples (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "series_id" integer not null,
  "at" integer not null,
  "value" real not null,
  "x" real,
  "y" real,
  "z" real,
  "record_id" integer not null
) strict;
CREATE INDEX "series_samples_device_id_series_id_at_index" on "series_samples" ("device_id", "series_id", "at");

create table server_keys (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "name" text not null,
  "pem" text not null
) strict;
CREATE UNIQUE INDEX "server_keys_name_key" on "server_keys" ("name");

create table server_settings (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "key" text not null,
  "value" text not null
) strict;
CREATE UNIQUE INDEX "server_settings_key_key" on "server_settings" ("key");

create table stream_tickets (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "jti" text not null,
  "kind" text not null,
  "digest" text not null,
  "expires_at" text not null
) strict;
CREATE INDEX "stream_tickets_device_id_index" on "stream_tickets" ("device_id");
CREATE UNIQUE INDEX "stream_tickets_digest_key" on "stream_tickets" ("digest");
CREATE INDEX "stream_tickets_user_id_index" on "stream_tickets" ("user_id");

create table telemetries (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "soc_temp" integer,
  "throttled" text,
  "wifi_level_percent" integer,
  "uptime" integer,
  "memory_usage" integer,
  "disk_usage" integer,
  "cpu_usage" integer,
  "target" text not null,
  "fbos_version" text,
  "firmware_hardware" text
) strict;
CREATE INDEX "telemetries_device_id_created_at_index" on "telemetries" ("device_id", "created_at");

create table token_issuances (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "jti" text not null,
  "aud" text not null,
  "exp" integer not null,
  "signed_in_at" text,
  "parent_id" integer references "token_issuances" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "session_id" integer,
  "last_used_at" text,
  "address" text,
  "user_agent" text,
  "resume_key_hash" text,
  "resume_cookie_hash" text,
  "resume_previous_hash" text,
  "resume_rotated_at" text
) strict;
CREATE INDEX "token_issuances_device_id_index" on "token_issuances" ("device_id");
CREATE INDEX "token_issuances_exp_index" on "token_issuances" ("exp");
CREATE UNIQUE INDEX "token_issuances_jti_device_id_key" on "token_issuances" ("jti", "device_id");
CREATE INDEX "token_issuances_parent_id_index" on "token_issuances" ("parent_id");
CREATE INDEX "token_issuances_resume_cookie_hash_index" on "token_issuances" ("resume_cookie_hash");
CREATE UNIQUE INDEX "token_issuances_resume_key_hash_key" on "token_issuances" ("resume_key_hash");
CREATE INDEX "token_issuances_user_id_index" on "token_issuances" ("user_id");

create table tools (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text not null,
  "flow_rate_ml_per_s" integer not null,
  "seeder_tip_z_offset" real not null,
  "type" text not null default 'none',
  "utm_mountable" integer not null default 1 check ("utm_mountable" in (0, 1)),
  "effector_offset_x" real not null default 0,
  "effector_offset_y" real not null default 0,
  "effector_offset_z" real not null default 0
) strict;
CREATE UNIQUE INDEX "tools_device_id_name_key" on "tools" ("device_id", "name");

create table uploads (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "key" text not null,
  "signature" text not null,
  "expires_at" text not null,
  "uploaded_at" text,
  "byte_size" integer
) strict;
CREATE INDEX "uploads_created_at_index" on "uploads" ("created_at");
CREATE INDEX "uploads_device_id_expires_at_index" on "uploads" ("device_id", "expires_at");
CREATE UNIQUE INDEX "uploads_key_key" on "uploads" ("key");

create table users (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "name" text,
  "email" text not null,
  "password_hash" text not null,
  "language" text,
  "confirmed_at" text,
  "confirmation_token" text not null,
  "agreed_to_terms_at" text,
  "inactivity_warning_sent_at" text,
  "sign_in_count" integer not null,
  "current_sign_in_at" text,
  "last_sign_in_at" text,
  "current_sign_in_ip" text,
  "last_sign_in_ip" text,
  "admin" integer not null check ("admin" in (0, 1)),
  "disabled_at" text
) strict;
CREATE UNIQUE INDEX "users_confirmation_token_key" on "users" ("confirmation_token");
CREATE INDEX "users_device_id_index" on "users" ("device_id");
CREATE UNIQUE INDEX "users_email_key" on "users" ("email");

create table virtual_robots (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "user_id" integer not null references "users" (id) on delete cascade,
  "is_running" integer not null check ("is_running" in (0, 1)),
  "is_demo" integer not null check ("is_demo" in (0, 1)),
  "started_at" text not null,
  "ended_at" text,
  "ended_because" text,
  "jti" text,
  "x" real not null,
  "y" real not null,
  "z" real not null,
  "lease_by" text,
  "lease_until" text
) strict;
CREATE UNIQUE INDEX "virtual_robots_device_id_key" on "virtual_robots" ("device_id");
CREATE INDEX "virtual_robots_is_running_index" on "virtual_robots" ("is_running");
CREATE INDEX "virtual_robots_user_id_index" on "virtual_robots" ("user_id");

create table web_app_configs (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "confirm_step_deletion" integer not null check ("confirm_step_deletion" in (0, 1)),
  "disable_animations" integer not null check ("disable_animations" in (0, 1)),
  "disable_i18n" integer not null check ("disable_i18n" in (0, 1)),
  "display_trail" integer not null check ("display_trail" in (0, 1)),
  "dynamic_map" integer not null check ("dynamic_map" in (0, 1)),
  "encoder_figure" integer not null check ("encoder_figure" in (0, 1)),
  "hide_webcam_widget" integer not null check ("hide_webcam_widget" in (0, 1)),
  "legend_menu_open" integer not null check ("legend_menu_open" in (0, 1)),
  "raw_encoders" integer not null check ("raw_encoders" in (0, 1)),
  "scaled_encoders" integer not null check ("scaled_encoders" in (0, 1)),
  "show_spread" integer not null check ("show_spread" in (0, 1)),
  "show_farmbot" integer not null check ("show_farmbot" in (0, 1)),
  "show_plants" integer not null check ("show_plants" in (0, 1)),
  "show_points" integer not null check ("show_points" in (0, 1)),
  "x_axis_inverted" integer not null check ("x_axis_inverted" in (0, 1)),
  "y_axis_inverted" integer not null check ("y_axis_inverted" in (0, 1)),
  "z_axis_inverted" integer not null check ("z_axis_inverted" in (0, 1)),
  "bot_origin_quadrant" integer not null,
  "zoom_level" integer not null,
  "success_log" integer not null,
  "busy_log" integer not null,
  "warn_log" integer not null,
  "error_log" integer not null,
  "info_log" integer not null,
  "fun_log" integer not null,
  "debug_log" integer not null,
  "stub_config" integer not null check ("stub_config" in (0, 1)),
  "show_first_party_farmware" integer not null check ("show_first_party_farmware" in (0, 1)),
  "enable_browser_speak" integer not null check ("enable_browser_speak" in (0, 1)),
  "show_images" integer not null check ("show_images" in (0, 1)),
  "photo_filter_begin" text,
  "photo_filter_end" text,
  "discard_unsaved" integer not null check ("discard_unsaved" in (0, 1)),
  "xy_swap" integer not null check ("xy_swap" in (0, 1)),
  "home_button_homing" integer not null check ("home_button_homing" in (0, 1)),
  "show_motor_plot" integer not null check ("show_motor_plot" in (0, 1)),
  "show_historic_points" integer not null check ("show_historic_points" in (0, 1)),
  "show_sensor_readings" integer not null check ("show_sensor_readings" in (0, 1)),
  "show_dev_menu" integer not null check ("show_dev_menu" in (0, 1)),
  "internal_use" text,
  "time_format_24_hour" integer not null check ("time_format_24_hour" in (0, 1)),
  "show_pins" integer not null check ("show_pins" in (0, 1)),
  "disable_emergency_unlock_confirmation" integer not null check ("disable_emergency_unlock_confirmation" in (0, 1)),
  "map_size_x" integer not null,
  "map_size_y" integer not null,
  "expand_step_options" integer not null check ("expand_step_options" in (0, 1)),
  "hide_sensors" integer not null check ("hide_sensors" in (0, 1)),
  "confirm_plant_deletion" integer not null check ("confirm_plant_deletion" in (0, 1)),
  "confirm_sequence_deletion" integer not null check ("confirm_sequence_deletion" in (0, 1)),
  "discard_unsaved_sequences" integer not null check ("discard_unsaved_sequences" in (0, 1)),
  "user_interface_read_only_mode" integer not null check ("user_interface_read_only_mode" in (0, 1)),
  "assertion_log" integer not null,
  "show_zones" integer not null check ("show_zones" in (0, 1)),
  "show_weeds" integer not null check ("show_weeds" in (0, 1)),
  "display_map_missed_steps" integer not null check ("display_map_missed_steps" in (0, 1)),
  "time_format_seconds" integer not null check ("time_format_seconds" in (0, 1)),
  "crop_images" integer not null check ("crop_images" in (0, 1)),
  "show_camera_view_area" integer not null check ("show_camera_view_area" in (0, 1)),
  "view_celery_script" integer not null check ("view_celery_script" in (0, 1)),
  "highlight_modified_settings" integer not null check ("highlight_modified_settings" in (0, 1)),
  "show_advanced_settings" integer not null check ("show_advanced_settings" in (0, 1)),
  "show_soil_interpolation_map" integer not null check ("show_soil_interpolation_map" in (0, 1)),
  "show_moisture_interpolation_map" integer not null check ("show_moisture_interpolation_map" in (0, 1)),
  "clip_image_layer" integer not null check ("clip_image_layer" in (0, 1)),
  "beep_verbosity" integer not null,
  "landing_page" text not null,
  "go_button_axes" text not null,
  "show_uncropped_camera_view_area" integer not null check ("show_uncropped_camera_view_area" in (0, 1)),
  "default_plant_depth" integer not null,
  "show_missed_step_plot" integer not null check ("show_missed_step_plot" in (0, 1)),
  "enable_3d_electronics_box_top" integer not null check ("enable_3d_electronics_box_top" in (0, 1)),
  "three_d_garden" integer not null check ("three_d_garden" in (0, 1)),
  "dark_mode" integer not null check ("dark_mode" in (0, 1)),
  "top_down_view" integer not null check ("top_down_view" in (0, 1)),
  "viewpoint_heading" integer not null,
  "show_scene_objects" integer not null check ("show_scene_objects" in (0, 1)),
  "show_controls_overlay" integer not null check ("show_controls_overlay" in (0, 1))
) strict;
CREATE UNIQUE INDEX "web_app_configs_device_id_key" on "web_app_configs" ("device_id");

create table webcam_feeds (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "url" text not null,
  "name" text not null
) strict;
CREATE INDEX "webcam_feeds_device_id_index" on "webcam_feeds" ("device_id");

create table webhook_deliveries (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "webhook_id" integer not null references "webhooks" (id) on delete cascade,
  "message_id" text not null,
  "type" text not null,
  "change_id" integer,
  "content" text,
  "status" text not null,
  "attempts" integer not null,
  "attempted_at" text,
  "duration" integer,
  "response_status" integer,
  "response_body" text,
  "error" text
) strict;
CREATE INDEX "webhook_deliveries_device_id_webhook_id_status_id_index" on "webhook_deliveries" ("device_id", "webhook_id", "status", "id");
CREATE INDEX "webhook_deliveries_webhook_id_status_id_index" on "webhook_deliveries" ("webhook_id", "status", "id");

create table webhooks (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "url" text not null,
  "resources" text,
  "robot_events" text not null,
  "active" integer not null check ("active" in (0, 1)),
  "description" text,
  "failing_since" text,
  "disabled_at" text,
  "user_id" integer not null,
  "secret" text not null,
  "previous_secret" text,
  "previous_secret_until" text,
  "cursor" integer not null,
  "attempts" integer not null,
  "next_attempt_at" text,
  "lease" text,
  "lease_until" text
) strict;
CREATE INDEX "webhooks_device_id_index" on "webhooks" ("device_id");

create table wizard_step_results (
  id integer primary key autoincrement,
  created_at text not null,
  updated_at text not null,
  "device_id" integer not null references "devices" (id) on delete cascade,
  "answer" integer check ("answer" in (0, 1)),
  "outcome" text,
  "slug" text not null
) strict;
CREATE INDEX "wizard_step_results_device_id_index" on "wizard_step_results" ("device_id");
