import { describe, expect, it } from 'vitest';
import { parseBody } from '../engine/body.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { webAppConfig } from './web-app-config.ts';

const changes = (fields: Parameters<typeof parseBody>[0], body: object) =>
  parseBody(fields, body as Record<string, unknown>, 'update', 'cast');

describe('the configs', () => {
  it('have all their fields', () => {
    expect(Object.keys(firmwareConfig.fields)).toHaveLength(118);
    expect(Object.keys(fbosConfig.fields)).toHaveLength(18);
    expect(Object.keys(webAppConfig.fields)).toHaveLength(77);
  });

  it('name firmware fields per axis and pin guard', () => {
    const names = Object.keys(firmwareConfig.fields);
    expect(names.slice(0, 3)).toEqual(['encoder_enabled_x', 'encoder_enabled_y', 'encoder_enabled_z']);
    expect(names).toEqual(
      expect.arrayContaining(['pin_guard_5_time_out', 'movement_secondary_motor_x', 'movement_max_spd_z2']),
    );
    expect(names).not.toContain('movement_secondary_motor_y');
    expect(names.at(-1)).toBe('pin_report_2_pin_nr');
  });

  it('have their defaults', () => {
    const { values } = parseBody(firmwareConfig.fields, {}, 'create', 'cast');
    expect(values).toMatchObject({
      movement_home_up_x: 0,
      movement_home_up_z: 1,
      movement_keep_active_z: 1,
      movement_step_per_mm_y: 5,
      movement_step_per_mm_z: 25,
      movement_motor_current_z: 1823,
      pin_guard_3_active_state: 1,
      param_use_eeprom: 1,
    });
    expect(parseBody(fbosConfig.fields, {}, 'create', 'cast').values).toMatchObject({
      soil_height: -500,
      update_channel: 'stable',
      default_axis_order: 'xy,z;high',
      boot_sequence_id: null,
    });
    expect(parseBody(webAppConfig.fields, {}, 'create', 'cast').values).toMatchObject({
      zoom_level: -2,
      map_size_y: 1230,
      go_button_axes: 'XY',
      landing_page: 'plants',
      dark_mode: true,
      internal_use: null,
    });
  });

  it('cast values', () => {
    expect(
      changes(fbosConfig.fields, {
        safe_height: -421.75,
        gantry_height: '12.9',
        soil_height: true,
        os_auto_update: 'off',
      }).values,
    ).toEqual({
      safe_height: -421,
      gantry_height: 12,
      soil_height: 1,
      os_auto_update: false,
    });
    expect(
      changes(fbosConfig.fields, { safe_height: 'deep', firmware_debug_log: '', sequence_init_log: 'yes' }).values,
    ).toEqual({
      safe_height: 0,
      sequence_init_log: true,
    });
    expect(changes(firmwareConfig.fields, { encoder_enabled_x: true, movement_step_per_mm_x: '5.5' }).values).toEqual({
      encoder_enabled_x: 1,
      movement_step_per_mm_x: 5.5,
    });
  });

  it('treat a null or a blank as not sent where a field has a default', () => {
    const sent = {
      network_not_found_timer: null,
      firmware_hardware: null,
      firmware_path: null,
      boot_sequence_id: null,
    };
    expect(
      changes(fbosConfig.fields, { ...sent, safe_height: null, os_auto_update: '', update_channel: null }),
    ).toEqual({
      values: sent,
      failures: {},
      modelProblems: {},
    });
    const stored = { photo_filter_begin: null, photo_filter_end: null, internal_use: null };
    for (const { fields } of [fbosConfig, firmwareConfig, webAppConfig]) {
      const all = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
      const kept = fields === fbosConfig.fields ? sent : fields === webAppConfig.fields ? stored : {};
      expect(changes(fields, all).values).toEqual(kept);
    }
  });

  it('store photo filters as times', () => {
    const { values, failures } = changes(webAppConfig.fields, {
      photo_filter_begin: '2026-11-22T10:00:00+01:00',
      photo_filter_end: '',
    });
    expect([values, failures]).toEqual([
      { photo_filter_begin: '2026-11-22T09:00:00.000Z', photo_filter_end: null },
      {},
    ]);
    for (const wrong of ['tomorrow', '2026-13-01', 5, true, {}])
      expect(Object.keys(changes(webAppConfig.fields, { photo_filter_begin: wrong }).failures)).toEqual([
        'photo_filter_begin',
      ]);
  });

  it('report values out of range under the field, and values out of the column’s range under error', () => {
    const { failures, modelProblems } = changes(firmwareConfig.fields, {
      encoder_invert_y: 2,
      movement_stall_sensitivity_z: -64,
      pin_guard_4_pin_nr: 70,
      movement_max_spd_x: 2 ** 31,
    });
    expect(Object.keys(failures)).toEqual(['encoder_invert_y', 'pin_guard_4_pin_nr', 'movement_stall_sensitivity_z']);
    expect(Object.keys(modelProblems)).toHaveLength(1);
  });
});
