import { gardenTopic, root } from './garden-topics.ts';

/** The request of a message of Home Assistant to a garden's robot. */
export interface GardenCommand {
  readonly deviceId: number;
  /** `emergency_lock` and `emergency_unlock` are sent directly; others are programs. */
  readonly program: object | 'emergency_lock' | 'emergency_unlock';
}

const pattern = new RegExp(`^${root}/device_([1-9]\\d{0,15})/command/(\\w+)(?:/([1-9]\\d{0,15}))?$`);

/** The filter of all commands. */
export const commandFilter = `${root}/+/command/#`;

/** Parses a message on a command topic; null if it is none. */
export function parseCommand(topic: string, payload: string): GardenCommand | null {
  const [, device, command, record] = pattern.exec(topic) ?? [];
  const deviceId = Number(device);
  if (device === undefined || !topic.startsWith(gardenTopic(deviceId))) return null;
  const program = programOf(command ?? '', record === undefined ? null : Number(record), payload);
  return program && { deviceId, program };
}

function programOf(command: string, id: number | null, payload: string): GardenCommand['program'] | null {
  if (id === null) {
    if (command === 'emergency_stop' && payload === 'PRESS') return 'emergency_lock';
    if (command === 'unlock' && payload === 'PRESS') return 'emergency_unlock';
    if (command !== 'update' || payload !== 'INSTALL') return null;
    return { kind: 'check_updates', args: { package: 'farmbot_os' } };
  }
  if (command === 'sequence' && payload === 'PRESS') return { sequence_id: id };
  if (command !== 'peripheral' || (payload !== 'ON' && payload !== 'OFF')) return null;
  const pin_number = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: id } };
  return { kind: 'write_pin', args: { pin_number, pin_mode: 0, pin_value: payload === 'ON' ? 1 : 0 } };
}
