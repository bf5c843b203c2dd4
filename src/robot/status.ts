import type { BotStateTree } from 'farmbot';
import type { AccountData } from './account-data.ts';
import type { Job, JobList } from './job-list.ts';
import type { Machine } from './machine.ts';
import type { OsVersion } from './os-version.ts';
import type { ProgramPosition, RunningPrograms } from './running-programs.ts';

/** The measured health of the virtual robot. */
export interface RobotHealth {
  /** In seconds. */
  readonly uptime: number;
  /** In MiB. */
  readonly memory: number;
}

/** Measures the health. `uptime` in ms. */
export const measureHealth = (uptime: number): RobotHealth => ({
  uptime: Math.round(uptime / 1000),
  memory: Math.round(process.memoryUsage.rss() / 2 ** 20),
});

/** Simulated values. */
const simulated = {
  socTemp: 42,
  wifiLevel: -50,
  wifiPercent: 80,
  diskUsage: 7,
  cpuUsage: 5,
  throttled: '0x0',
} as const;

/** The version of the simulated motor controller. */
export const firmwareVersion = '6.6.20.R.virtual';

/** Clients and servers only know Raspberry Pi models. [rule R11] */
const target = 'rpi3';

/** The state tree of a robot, with jobs and running programs as robots publish them. */
export type StateTree = Omit<BotStateTree, 'jobs'> & { jobs: Record<string, Job>; running: readonly ProgramPosition[] };

/** The content of the state tree. */
export interface StateSources {
  readonly version: OsVersion;
  readonly machine: Machine;
  readonly account: AccountData;
  readonly jobs: JobList;
  readonly running: RunningPrograms;
}

/** Returns the robot's state tree. [rule R12] */
export function stateTree({ version, machine, account, jobs, running }: StateSources, health: RobotHealth): StateTree {
  const { uptime, memory } = health;
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
      disk_usage: simulated.diskUsage,
      cpu_usage: simulated.cpuUsage,
      scheduler_usage: simulated.cpuUsage,
      soc_temp: simulated.socTemp,
      wifi_level: simulated.wifiLevel,
      wifi_level_percent: simulated.wifiPercent,
      throttled: simulated.throttled,
      controller_version: version,
      controller_commit: 'none',
      controller_uuid: '00000000-0000-4000-8000-000000000000',
      firmware_version: firmwareVersion,
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
    jobs: jobs.tree,
    // An addition: real robots do not report it, and clients ignore unknown keys.
    running: running.positions,
    process_info: { farmwares: {} },
    user_env: account.environment,
  };
}

/** Returns a telemetry message. [rule R11] */
export const telemetryMessage = ({ uptime, memory }: RobotHealth, now: string): Record<string, string | number> => ({
  telemetry_captured_at: now,
  telemetry_soc_temp: simulated.socTemp,
  telemetry_throttled: simulated.throttled,
  telemetry_wifi_level: simulated.wifiLevel,
  telemetry_wifi_level_percent: simulated.wifiPercent,
  telemetry_uptime: uptime,
  telemetry_memory_usage: memory,
  telemetry_disk_usage: simulated.diskUsage,
  telemetry_scheduler_usage: simulated.cpuUsage,
  telemetry_cpu_usage: simulated.cpuUsage,
  telemetry_target: target,
});
