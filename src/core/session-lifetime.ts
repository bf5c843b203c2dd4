/** Lifetime of a token from a sign-in, in days. [rule A15] */
export const sessionDays = 60;
