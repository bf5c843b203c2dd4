/** Distances that a press of the pad moves, in mm. */
export const steps = [1, 10, 100, 1000] as const;
