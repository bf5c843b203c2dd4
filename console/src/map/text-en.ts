import type { TooClose } from './filling.ts';

const pointKinds = { Plant: 'Plants', Weed: 'Weeds', GenericPointer: 'Points', ToolSlot: 'Tool slots' };

/** `Plants: 3 · Weeds: 1`: how many there are of each kind. */
export const countsIn = <K extends string>(
  kinds: readonly K[],
  names: Readonly<Record<K, string>>,
  colon = ': ',
): string =>
  [...new Set(kinds)]
    .map((kind) => `${names[kind]}${colon}${kinds.filter((each) => each === kind).length}`)
    .join(' · ');

export const en = {
  viewport: 'Map: arrow keys move it, plus and minus zoom, 0 shows all',
  bed: (width: number, height: number) => `Garden bed, ${width} by ${height} mm`,
  robotAt: (x: number, y: number) => `Robot at ${x}, ${y}`,
  robotLastAt: (x: number, y: number) => `Robot, last seen at ${x}, ${y}`,
  pointLabel: (name: string, kind: string, x: number, y: number) => `${name}, ${kind} at ${x}, ${y}`,
  kinds: { Plant: 'plant', Weed: 'weed', GenericPointer: 'point', ToolSlot: 'tool slot' },
  arrowKeys: 'With ← → ↓: move the map, or go from point to point',
  enterKey: 'Select the point; with Shift, together with others',
  notCalibrated:
    'The camera is not calibrated: photos with a dashed edge mark where they were taken, without size and direction.',
  otherHeight:
    'Photos with a dashed edge were taken at another height than the calibration of the camera: they mark where, without size and direction.',
  selected: (count: number) => `${count} selected`,
  countsOf: (kinds: readonly (keyof typeof pointKinds)[]) => countsIn(kinds, pointKinds),
  spacing: (plants: number, rows: number) => `${plants} mm apart, rows ${rows} mm apart`,
  tapToAdd: {
    plant: 'Choose a place on the bed to plant one there, or type it.',
    weed: 'Choose where the weed grows on the bed, or type the place.',
    point: 'Choose the place of the point on the bed, or type it.',
    slot: 'Choose the place of the slot on the bed, or type it. Then select the slot, and choose its tool.',
  },
  tapToStart: {
    plant: 'Choose the place of the first plant on the bed.',
    weed: 'Choose the place of the first weed on the bed.',
    point: 'Choose the place of the first point on the bed.',
    slot: 'Choose the place of the first slot on the bed. Then select each, and choose its tool.',
  },
  taken: (count: number, total: number, name: string) =>
    total === 1
      ? `${name} stands at this place. To add another one, choose another place.`
      : `${name} stands at ${count === total ? 'all' : count} of these ${total} places already, which stay as they are.`,
  moreOf: (name: string) => `The life of ${name}`,
  plantedSince: (days: number) =>
    days < 0
      ? `To be planted in ${-days === 1 ? 'a day' : `${-days} days`}`
      : days === 0
        ? 'Planted today'
        : `Planted ${days === 1 ? 'yesterday' : `${days} days ago`}`,
  moistureNear: (value: string, time: string) => `Soil moisture nearby: ${value} (${time})`,
  size: (now: number, grown: number | null) =>
    grown === null || grown === now ? `${now} mm wide` : `${now} mm wide, ${grown} mm when grown`,
  tooClose: (counts: readonly TooClose[], total: number) =>
    total === 1
      ? `This place is too close to ${counts[0]?.name}.`
      : `${counts.map(({ name, count }, index) => (index === 0 ? `${count} ${count === 1 ? 'is' : 'are'} too close to ${name}` : `${count} to ${name}`)).join(', ')}, and left out.`,
  closeOnPurpose: (counts: readonly TooClose[], total: number) =>
    total === 1
      ? `This place is close to ${counts[0]?.name}.`
      : `${counts.map(({ name, count }, index) => (index === 0 ? `${count} ${count === 1 ? 'is' : 'are'} close to ${name}` : `${count} to ${name}`)).join(', ')}.`,
  addCount: (count: number) => (count === 1 ? 'Add' : `Add ${count}`),
  added: (count: number, name: string) => (count === 1 ? `${name} was added.` : `${count} × ${name} were added.`),
  moved: (count: number, name: string) => (count === 1 ? `${name} was moved.` : `${count} were moved.`),
  saved: (count: number, name: string) => (count === 1 ? `${name} was changed.` : `${count} were changed.`),
  deleted: (count: number, name: string) => (count === 1 ? `${name} was deleted.` : `${count} were deleted.`),
  place: (x: number, y: number) => `Place ${x}, ${y}`,
  notFound: 'What this address leads to is no longer in the bed.',
  movedBy: (across: number, down: number) => `Moved by ${across}, ${down} mm.`,
  movingKeys: 'Arrow keys move it, with Shift farther; Enter saves, Escape cancels.',
  moveHereAlong: (axes: string) => `Move the robot here (${axes})`,
  arrived: (x: number, y: number) => `The robot is at ${x}, ${y}.`,
  makeGroupOf: (count: number) => `Make a group of ${count}`,
  groupMade: (name: string) => `The group ${name} was made.`,
  waterBySequence: (count: number, name: string) =>
    count === 1
      ? `The robot runs the program “${name}” at this plant.`
      : `The robot runs the program “${name}” at ${count} plants, one after the other.`,
  waterByPeripheral: (count: number, name: string) =>
    count === 1
      ? `The robot goes to this plant and opens “${name}”.`
      : `The robot goes to ${count} plants, one after the other, and opens “${name}” at each.`,
  byProgram: (name: string) => `The program “${name}”`,
  byPeripheral: (name: string) => `“${name}”, by the water curves of the plants`,
  dosesOf: (count: number, name: string) => (count === 1 ? `${name}:` : `${count} × ${name}:`),
  dose: (water: string) => `about ${water}`,
  doseByCurve: (water: string, age: number) => `${water}, by its water curve on day ${age}`,
  openFor: (seconds: string) => `${seconds} seconds`,
  waterInAll: (water: string) => `${water} in all.`,
  noWater:
    'This garden has neither a program that waters one place nor a peripheral for water, such as a valve or a pump. Create one of them with “water” in its name.',
};
