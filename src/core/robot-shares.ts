const minute = 60_000;

/** THE table of the limits of virtual robots in the server, from which docs/limits.md is generated. [ADR 90] */
export const robotShares = {
  /** Running robots that a person started. */
  robotsPerPerson: 3,
  /** Computing of the scripts of a garden, in ms per `period`; beyond it they wait. */
  computing: { limit: 10_000, period: minute },
  /** Computing of the scripts of all demo gardens together, in ms per the same `period`. */
  demoComputing: { limit: 20_000 },
  /** A stretch of computing counts more, by this factor, beyond this time in ms: others cannot interrupt it. */
  longStretch: { after: 100, factor: 4 },
  /** The least count of a call of a function of the robot, in ms: it costs the server more than the script. */
  minComputing: 1,
  /** Requests with `http` of the scripts of a garden, per `period`. */
  fetches: { limit: 30, period: minute },
  /** Photos by address and manifests that a garden lets the server fetch, per `period`. */
  requestedFetches: { limit: 60, period: minute },
} as const;
