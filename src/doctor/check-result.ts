/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** It is ok, but the operator should read it. */
  readonly isWarning?: true;
}

/** Returns a message that begins with the name of the setting that it is about. */
export const aboutSetting = (setting: string, message: string): string =>
  /^[A-Z]+_[A-Z_]+\b/.test(message) ? message : `${setting}: ${message}`;

/** Returns a failed result with a message; none for null. */
export const failures = (name: string, message: string | null): CheckResult[] =>
  message === null ? [] : [{ name, ok: false, message }];

/** Returns a result that the operator should read, with a message; none for null. */
export const notes = (name: string, message: string | null): CheckResult[] =>
  message === null ? [] : [{ name, ok: true, isWarning: true, message }];

/** A message that the operator should read, although nothing has failed. */
export interface Note {
  readonly note: string;
}

/** Runs a check; its error is the message of the result, with the name of a setting if one is given. */
export async function check(name: string, run: () => Promise<string | Note>, setting?: string): Promise<CheckResult> {
  try {
    const found = await run();
    return typeof found === 'string'
      ? { name, ok: true, message: found }
      : { name, ok: true, isWarning: true, message: found.note };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, ok: false, message: setting === undefined ? message : aboutSetting(setting, message) };
  }
}
