import { Store } from '../ui/store.ts';

/** The place to which a command of this page moves the robot, in mm; null while none runs. */
export const target = new Store<readonly [x: number, y: number] | null>(null);
