import { version } from '../core/version.ts';
import { commandTopic, photoTopic, root, stateTopic, updateTopic } from './garden-topics.ts';
import type { PinReading, PinReadings, Pins } from './pin-readings.ts';

/** A record with a name. */
export interface NamedRecord {
  readonly id: number;
  readonly name: string;
}

interface ShownSensor extends NamedRecord {
  readonly pin: number;
  readonly isMoisture: boolean;
  /** The last reading that is stored; null: none. */
  readonly reading: PinReading | null;
}

/** The shown parts of a garden besides the state of its robot. */
export interface ShownGarden {
  readonly name: string;
  readonly peripherals: readonly (NamedRecord & { readonly pin: number })[];
  /** Analog sensors. */
  readonly sensors: readonly ShownSensor[];
  /** Pinned sequences. */
  readonly sequences: readonly NamedRecord[];
  /** URL of the newest photo; null: none. */
  readonly photo: string | null;
  /** The newest version of the robot's software; null: unknown. */
  readonly latestVersion: string | null;
}

/** Maximum length of a name, in characters. */
const maxNameLength = 120;

const nameOf = (text: string): string => text.slice(0, maxNameLength).toWellFormed().trim() || 'Garden';

/** A component of Home Assistant, by its field names. */
type Component = Readonly<Record<string, unknown>> & { readonly platform: string };

/** The payload of a discovery. */
export interface Discovery {
  readonly device: object;
  readonly origin: object;
  readonly availability: readonly object[];
  readonly components: Readonly<Record<string, Component>>;
}

/**
 * Returns the discovery of a garden: one device with all of its components. Names of users are values of `name` and never
 * part of a template; ids are stable. Payloads follow Home Assistant 2024.11 or newer.
 */
export function discoveryOf(deviceId: number, garden: ShownGarden, availabilityTopic: string): Discovery {
  const id = (name: string): string => `${root}_device_${deviceId}_${name}`;
  const state_topic = stateTopic(deviceId);
  const components: Record<string, Component> = {};
  const add = (key: string, name: string, component: Component): void => {
    components[key] = { ...component, name: nameOf(name), unique_id: id(key) };
  };
  const value = (path: string): string => `{{ value_json.${path} }}`;
  const diagnostic = { entity_category: 'diagnostic' } as const;
  const availability = [{ topic: availabilityTopic }];
  /** Of components that show or change the state of a robot. */
  const ofRobot = {
    availability: [
      ...availability,
      {
        topic: state_topic,
        value_template: value('connected'),
        payload_available: 'ON' satisfies OnOff,
        payload_not_available: 'OFF' satisfies OnOff,
      },
    ],
    availability_mode: 'all',
  } as const;
  const measurement = { platform: 'sensor', state_topic, state_class: 'measurement' } as const;
  const button = (command: string, icon: string): Component => ({
    platform: 'button',
    command_topic: commandTopic(deviceId, command),
    icon,
  });

  add('connected', 'Connected', {
    platform: 'binary_sensor',
    device_class: 'connectivity',
    state_topic,
    value_template: value('connected'),
    ...diagnostic,
  });
  add('busy', 'Busy', {
    platform: 'binary_sensor',
    device_class: 'running',
    state_topic,
    value_template: value('busy'),
    ...ofRobot,
  });
  for (const axis of ['x', 'y', 'z'])
    add(`position_${axis}`, `Position ${axis}`, {
      ...measurement,
      device_class: 'distance',
      unit_of_measurement: 'mm',
      value_template: value(`position_${axis}`),
      ...ofRobot,
    });
  for (const [key, name] of [
    ['software', 'Software version'],
    ['firmware', 'Firmware version'],
  ] as const)
    add(key, name, { platform: 'sensor', state_topic, value_template: value(key), ...diagnostic });
  add('soc_temp', 'CPU temperature', {
    ...measurement,
    ...diagnostic,
    device_class: 'temperature',
    unit_of_measurement: '°C',
    value_template: value('soc_temp'),
    ...ofRobot,
  });
  add('wifi', 'Wi-Fi', {
    ...measurement,
    ...diagnostic,
    unit_of_measurement: '%',
    icon: 'mdi:wifi',
    value_template: value('wifi'),
    ...ofRobot,
  });
  for (const { id: sensor, name, isMoisture } of garden.sensors)
    add(`sensor_${sensor}`, name, {
      ...measurement,
      // Home Assistant knows moisture in percent only.
      ...(isMoisture
        ? { device_class: 'moisture', unit_of_measurement: '%', value_template: value(`moisture_${sensor}`) }
        : { icon: 'mdi:water-percent', value_template: value(`sensor_${sensor}`) }),
    });
  for (const { id: peripheral, name } of garden.peripherals)
    add(`peripheral_${peripheral}`, name, {
      platform: 'switch',
      state_topic,
      value_template: value(`peripheral_${peripheral}`),
      command_topic: commandTopic(deviceId, `peripheral/${peripheral}`),
      payload_on: 'ON',
      payload_off: 'OFF',
      ...ofRobot,
    });
  for (const { id: sequence, name } of garden.sequences)
    add(`sequence_${sequence}`, name, { ...button(`sequence/${sequence}`, 'mdi:play'), ...ofRobot });
  // Sent in any case: the server may not know that the robot is connected.
  add('emergency_stop', 'Emergency stop', button('emergency_stop', 'mdi:alert-octagon'));
  add('unlock', 'Unlock', button('unlock', 'mdi:lock-open'));
  add('photo', 'Last photo', { platform: 'image', url_topic: photoTopic(deviceId) });
  add('update', 'Robot software', {
    platform: 'update',
    device_class: 'firmware',
    state_topic: updateTopic(deviceId),
    command_topic: commandTopic(deviceId, 'update'),
    payload_install: 'INSTALL',
  });
  return {
    device: { identifiers: [`${root}_device_${deviceId}`], name: nameOf(garden.name), manufacturer: 'Potager' },
    origin: { name: 'Potager', sw_version: version },
    availability,
    components,
  };
}

/** The status of a robot, as far as it is shown. */
export interface ShownStatus {
  readonly received_at: string;
  readonly position: Readonly<Record<'x' | 'y' | 'z', number | null>>;
  readonly busy: boolean | null;
  readonly pins: Pins;
  readonly controller_version: string | null;
  readonly firmware_version: string | null;
  readonly soc_temp: number | null;
  readonly wifi_level_percent: number | null;
}

/** A robot, as far as it is shown. */
export interface ShownRobot {
  /** When it connected; null: it is not connected. */
  readonly connected_since: string | null;
  /** Its last status. */
  readonly status: ShownStatus | null;
  readonly readings: PinReadings;
}

/** The greatest value of an analog pin. */
const maxAnalog = 1023;

/** Returns a value of an analog pin in percent of its greatest, with one decimal. */
const percentOf = (value: number | null): number | null =>
  value === null ? null : Math.round((value / maxAnalog) * 1000) / 10;

type OnOff = 'ON' | 'OFF';

const onOff = (isOn: boolean): OnOff => (isOn ? 'ON' : 'OFF');

/** Returns the state of a garden by the names that the templates of {@link discoveryOf} read. Unknown values are null. */
export function stateOf(garden: ShownGarden, { connected_since, status, readings }: ShownRobot): object {
  // An earlier status says nothing about a robot that was off since.
  const current = connected_since !== null && status && status.received_at >= connected_since ? status : null;
  const state: Record<string, unknown> = {
    connected: onOff(connected_since !== null),
    busy: onOff(current?.busy === true),
    position_x: current?.position.x ?? null,
    position_y: current?.position.y ?? null,
    position_z: current?.position.z ?? null,
    // A null is rendered as "None", which only numbers and switches understand.
    software: status?.controller_version ?? 'unknown',
    firmware: status?.firmware_version ?? 'unknown',
    soc_temp: current?.soc_temp ?? null,
    wifi: current?.wifi_level_percent ?? null,
  };
  for (const { id, pin, isMoisture, reading } of garden.sensors) {
    const value = readings.newest(pin, reading);
    state[`sensor_${id}`] = value;
    if (isMoisture) state[`moisture_${id}`] = percentOf(value);
  }
  for (const { id, pin } of garden.peripherals)
    state[`peripheral_${id}`] = current && onOff((current.pins[pin]?.value ?? 0) > 0);
  return state;
}

/** Returns the state of the robot's software; null while its version is unknown. */
export function updateStateOf(garden: ShownGarden, status: ShownStatus | null): object | null {
  const installed_version = status?.controller_version ?? null;
  if (installed_version === null) return null;
  return { installed_version, latest_version: garden.latestVersion ?? installed_version };
}
