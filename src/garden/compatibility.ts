/** The behavior that differs for the vendor's current web app. [decision 11] */
export interface Compatibility {
  /** Deleting points, and replacing them with a saved garden, archives them; otherwise it deletes them. [decision 8, 44] */
  readonly archivesPoints: boolean;
  /** `DELETE /api/logs/:id` deletes all logs of the device; otherwise the one with this id. [decision 9] */
  readonly deletesAllLogs: boolean;
  /** `PATCH /api/saved_gardens/:id/apply` is rejected if there are plants; otherwise it adds to them. [decision 10] */
  readonly applyRefusesPlants: boolean;
}

/** The behavior for each value of the setting `COMPATIBILITY`. */
export const compatibilityModes = {
  document: { archivesPoints: true, deletesAllLogs: true, applyRefusesPlants: true },
  'web-app': { archivesPoints: false, deletesAllLogs: false, applyRefusesPlants: false },
} as const satisfies Readonly<Record<string, Compatibility>>;
