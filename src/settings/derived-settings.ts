import type { Settings } from './settings.ts';

/** The values where a setting leaves the choice to the server. */
export interface DerivedSettings {
  /** [decision 60] */
  readonly EMAIL_VERIFICATION: 'required' | 'off';
  /** [decision 61] */
  readonly DEMO_ACCOUNTS: boolean;
}

/** Returns the values of settings that depend on other settings. */
export const derivedSettings = ({
  EMAIL_VERIFICATION,
  SMTP_URL,
  DEMO_ACCOUNTS,
  SIGN_UP,
}: Settings): DerivedSettings => ({
  EMAIL_VERIFICATION: EMAIL_VERIFICATION === 'auto' ? (SMTP_URL === null ? 'off' : 'required') : EMAIL_VERIFICATION,
  DEMO_ACCOUNTS: DEMO_ACCOUNTS ?? SIGN_UP === 'open',
});

/** Returns the settings about accounts. */
export const accountRules = (settings: Settings) => ({
  requiresVerification: derivedSettings(settings).EMAIL_VERIFICATION === 'required',
  requiresTerms: settings.TOS_URL !== null,
  trustedDomains: settings.TRUSTED_DOMAINS,
  signUp: settings.SIGN_UP,
  demos: settings.DEMO_ACCOUNTS,
  hasRateLimits: settings.RATE_LIMITS,
});
