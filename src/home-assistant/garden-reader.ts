import type { DeviceScope } from '../db/scope.ts';
import { deviceName } from '../device/devices.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { GardenOffer } from '../garden/offer.ts';
import type { PhotosOffer } from '../photos/offer.ts';
import { sequences } from '../programs/sequences.ts';
import type { ShownGarden } from './discovery.ts';

/** Components of a kind that are shown. */
const maxRecords = 100;

/** The rooms whose records are shown. */
export interface ShownRooms {
  readonly device: DeviceOffer;
  readonly garden: GardenOffer;
  readonly photos: PhotosOffer;
  /** Returns the server's address, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** Reads the shown parts of a garden. */
export async function readGarden(scope: DeviceScope, rooms: ShownRooms): Promise<ShownGarden> {
  const limit = maxRecords;
  const named = ({ id, pin, label }: { readonly id: number; readonly pin: number; readonly label: string }) => ({
    id,
    pin,
    name: label,
  });
  const readings = new Map((await rooms.garden.lastAnalogReadings(scope)).map((each) => [each.pin, each]));
  return {
    name: await deviceName(scope),
    peripherals: (await scope.rows(rooms.garden.peripherals, { limit })).map(named),
    sensors: (await scope.rows(rooms.garden.sensors, { where: { mode: 1 }, limit })).map((sensor) => ({
      ...named(sensor),
      isMoisture: sensor.type === 'soil_moisture',
      reading: readings.get(sensor.pin) ?? null,
    })),
    sequences: (await scope.rows(sequences, { where: { pinned: true }, limit })).map(({ id, name }) => ({
      id,
      name,
    })),
    photo: await rooms.photos.newestPhotoUrl(scope, rooms.baseUrl()),
    latestVersion: (await rooms.device.latestImages(scope.server)).rpi3_release_tag ?? null,
  };
}
