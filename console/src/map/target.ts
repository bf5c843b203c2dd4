import { Store } from '../ui/store.ts';

/** Where a command of this page sends the robot, in mm; null while it carries out none. */
export const target = new Store<readonly [x: number, y: number] | null>(null);
