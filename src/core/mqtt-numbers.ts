import { writeToStream } from 'mqtt-packet';

/**
 * Has numbers in MQTT packets written when they are needed. By default the library creates a buffer for each of 65,536 before the first
 * packet: 7 MiB, and V8 grows its young generation to 32 MiB for them. [ADR 86]
 */
export function writeMqttNumbersOnDemand(): void {
  writeToStream.cacheNumbers = false;
}
