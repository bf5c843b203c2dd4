/** The lowest cost that argon2 allows: a hash takes 0.1 ms instead of 22. */
export const testPasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
