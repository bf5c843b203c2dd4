import type { BotStateTree } from 'farmbot';
import type { AccountData } from './account-data.ts';
import type { Machine } from './machine.ts';
import { osVersion } from './robot-api.ts';

/** What the pretend computer says of itself. */
export interface Health {
  /** Seconds since it was started. */
  readonly uptime: number;
  /** MiB. */
  readonly memory: number;
}

/** Values that every virtual robot has. */
const pretended = {
  socTemp: 42,
  wifiLevel: -50,
  wifiPercent: 80,
  diskUsage: 7,
  cpuUsage: 5,
  throttled: '0x0',
} as const;

/** Clients and servers know no others than Raspberry Pis. [Spec telemetries] */
const target = 'rpi3';

/** The robot's whole state, as clients know it. [client JS] */
export function stateTree(machine: Machine, account: AccountData, { uptime, memory }: Health): BotStateTree {
  const position = { ...machine.position };
  const state = machine.isBusy ? ('cruise' as const) : ('idle' as const);
  return {
    location_data: {
      position,
      scaled_encoders: position,
      raw_encoders: position,
      load: { x: 0, y: 0, z: 0 },
      axis_states: { x: state, y: state, z: state },
    },
    mcu_params: account.firmware,
    configuration: account.configuration,
    informational_settings: {
      uptime,
      memory_usage: memory,
      disk_usage: pretended.diskUsage,
      cpu_usage: pretended.cpuUsage,
      scheduler_usage: pretended.cpuUsage,
      soc_temp: pretended.socTemp,
      wifi_level: pretended.wifiLevel,
      wifi_level_percent: pretended.wifiPercent,
      throttled: pretended.throttled,
      controller_version: osVersion,
      controller_commit: 'none',
      controller_uuid: '00000000-0000-4000-8000-000000000000',
      firmware_version: '6.6.20.R.virtual',
      commit: 'none',
      firmware_commit: 'none',
      target,
      env: 'prod',
      node_name: 'farmbot@virtual',
      sync_status: account.status,
      busy: machine.isBusy,
      idle: !machine.isBusy,
      locked: machine.isLocked,
      update_available: false,
      video_devices: '',
    },
    pins: Object.fromEntries(machine.pins),
    jobs: {},
    process_info: { farmwares: {} },
    user_env: account.environment,
  };
}

/** What the robot measures of itself now and then. [client FBOS] */
export const telemetryOf = ({ uptime, memory }: Health, now: string): Record<string, string | number> => ({
  telemetry_captured_at: now,
  telemetry_soc_temp: pretended.socTemp,
  telemetry_throttled: pretended.throttled,
  telemetry_wifi_level: pretended.wifiLevel,
  telemetry_wifi_level_percent: pretended.wifiPercent,
  telemetry_uptime: uptime,
  telemetry_memory_usage: memory,
  telemetry_disk_usage: pretended.diskUsage,
  telemetry_scheduler_usage: pretended.cpuUsage,
  telemetry_cpu_usage: pretended.cpuUsage,
  telemetry_target: target,
});
