/** First level of the topics on which Potager publishes and is commanded. */
export const root = 'potager';
/** First level of Home Assistant's discovery, and its topic with its own state. */
export const discoveryPrefix = 'homeassistant';
export const birthTopic = `${discoveryPrefix}/status`;
/** The topic of Potager's state: connected to Home Assistant's broker or not. */
export const availabilityTopic = `${root}/availability`;

/** Returns the first levels of the topics of a garden. */
export const gardenTopic = (deviceId: number): string => `${root}/device_${deviceId}`;
export const stateTopic = (deviceId: number): string => `${gardenTopic(deviceId)}/state`;
export const updateTopic = (deviceId: number): string => `${gardenTopic(deviceId)}/update`;
export const photoTopic = (deviceId: number): string => `${gardenTopic(deviceId)}/photo`;
/** Returns the topic of the built-in broker that says that a garden is shown. */
export const gardenAvailabilityTopic = (deviceId: number): string => `${gardenTopic(deviceId)}/availability`;
export const commandTopic = (deviceId: number, command: string): string =>
  `${gardenTopic(deviceId)}/command/${command}`;
export const discoveryTopic = (deviceId: number): string =>
  `${discoveryPrefix}/device/${root}_device_${deviceId}/config`;

const gardenLevels = new RegExp(`^(?:${discoveryPrefix}/device/${root}_|${root}/)device_([1-9]\\d{0,15})/`);

/** Returns the device of a topic, or of all topics that a filter matches; null: none, or of several. */
export function deviceOfTopic(topic: string): number | null {
  const digits = gardenLevels.exec(topic)?.[1];
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : null;
}
