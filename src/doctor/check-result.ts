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

/** Runs a check; its error is the message of the result, with the name of a setting if one is given. */
export async function check(name: string, run: () => Promise<string>, setting?: string): Promise<CheckResult> {
  try {
    return { name, ok: true, message: await run() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, ok: false, message: setting === undefined ? message : aboutSetting(setting, message) };
  }
}
