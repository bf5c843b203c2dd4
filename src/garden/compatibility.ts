/** What differs for people who run the vendor's current web app: these three rules and nothing else. [decision 11] */
export interface Compatibility {
  /** Deleted points stay readable for two months; else they are really deleted, also when a garden replaces them. [decisions 8, 44] */
  readonly archivesPoints: boolean;
  /** `DELETE /api/logs/:id` deletes every log of the device; else the one it names. [decision 9] */
  readonly deletesAllLogs: boolean;
  /** `PATCH /api/saved_gardens/:id/apply` is refused while plants are there; else it adds to them. [decision 10] */
  readonly applyRefusesPlants: boolean;
}

/** The rules for each value of the setting `COMPATIBILITY`. */
export const compatibilityModes = {
  document: { archivesPoints: true, deletesAllLogs: true, applyRefusesPlants: true },
  'web-app': { archivesPoints: false, deletesAllLogs: false, applyRefusesPlants: false },
} as const satisfies Readonly<Record<string, Compatibility>>;
