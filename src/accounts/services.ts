import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call, Reply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { KeyPair } from './key-pair.ts';
import type { MailRateLimit } from './mail-rate-limit.ts';
import type { Passwords } from './passwords.ts';
import type { TokenAddresses, TokenSigner } from './token-signer.ts';
import type { UserActivity } from './user-activity.ts';

/** The settings that accounts follow. */
export interface AccountRules {
  /** New addresses must be confirmed by mail. [decision 25] */
  readonly requiresVerification: boolean;
  /** Whether users must have agreed to the terms of service. [reference] */
  readonly requiresTerms: boolean;
  /** Domains of e-mail addresses that may have accounts; empty: all. */
  readonly trustedDomains: readonly string[];
  readonly signUp: 'open' | 'closed';
  /** Off: mail may be asked for as often as one likes. */
  readonly hasRateLimits: boolean;
  /** What links in mail begin with, `http://192.168.1.20:3000`; never taken from a request. */
  readonly mailBase: string;
}

/** Told of each request that a token came with (and of each sign-in): the device's last sign of life and its version. [reference] */
export type RecordActivity = (scope: ServerScope, call: Call, userId: number, deviceId: number) => void | Promise<void>;

/** Has the broker end the connections of a device whose tokens are gone, before which the robot may be told to forget its account. Part of the caller's transaction; happens after the commit. [decision 37] */
export type EndSessions = (
  server: ServerScope,
  deviceId: number,
  how?: { readonly resetsRobot?: boolean },
) => Promise<void>;

/** What accounts need from elsewhere. */
export interface AccountServices {
  readonly rules: AccountRules;
  readonly keyPair: KeyPair;
  readonly signer: TokenSigner;
  readonly passwords: Passwords;
  readonly activity: UserActivity;
  readonly mailLimit: MailRateLimit;
  readonly jobs: JobQueue;
  /** Addresses for a token, as the caller reaches this server. */
  addresses(call: Call): TokenAddresses;
  readonly recordActivity: RecordActivity;
  /** Makes a device with its alerts and configs; gives its id. */
  createDevice(scope: ServerScope): Promise<number>;
  /** Deletes a device with everything it has. */
  destroyDevice(scope: ServerScope, deviceId: number): Promise<void>;
  /** What happens to a garden at once when its account is to be deleted. In a transaction. */
  prepareAccountDeletion(scope: DeviceScope): Promise<void>;
  /** Somebody's account goes: nothing keeps their address. */
  anonymizeAuthor(scope: ServerScope, email: string): Promise<void>;
  readonly endSessions: EndSessions;
  /** Pages for browsers. */
  readonly pages: {
    /** Stores the session in the browser and goes on to the web app. */
    signedIn(session: object): Reply;
    notice(status: number, title: string, sentence: string): Reply;
  };
}
