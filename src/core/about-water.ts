/** Matches names of programs, peripherals and runs that are about water. */
export const aboutWater = /water|arros|irrig|bewässer|gießen|\beau\b/i;
