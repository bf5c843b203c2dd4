import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call, Reply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { AccountLimits } from './account-limits.ts';
import type { CredentialUses } from './credential-uses.ts';
import type { KeyPair } from './key-pair.ts';
import type { Passwords } from './passwords.ts';
import type { TokenAddresses, TokenSigner } from './token-signer.ts';
import type { UserActivity } from './user-activity.ts';

/** Settings of accounts. */
export interface AccountRules {
  /** New addresses must be confirmed by a link in a mail. [decision 25] */
  readonly requiresVerification: boolean;
  /** Users must have agreed to the terms of service. [rule A17] */
  readonly requiresTerms: boolean;
  /** Domains in which accounts may have their address; empty: all. */
  readonly trustedDomains: readonly string[];
  readonly signUp: 'open' | 'closed';
  /** Whether visitors may make demo accounts; null: while anyone may sign up. [decision 61] */
  readonly demos: boolean | null;
  /** False: requests for mail are not limited. */
  readonly hasRateLimits: boolean;
}

/** Records a request with a token, or a sign-in: when the device was last seen, and its version. [rule D6] */
export type RecordActivity = (scope: ServerScope, call: Call, userId: number, deviceId: number) => void | Promise<void>;

/** Makes the broker close the connections of a device whose tokens were revoked; `resetsRobot` publishes a factory reset first. Enqueued in the caller's transaction. [decision 37] */
export type EndSessions = (
  server: ServerScope,
  deviceId: number,
  how?: { readonly resetsRobot?: boolean },
) => Promise<void>;

/** Dependencies of account routes and jobs. */
export interface AccountServices {
  readonly rules: AccountRules;
  readonly keyPair: KeyPair;
  readonly signer: TokenSigner;
  readonly passwords: Passwords;
  readonly activity: UserActivity;
  readonly uses: CredentialUses;
  readonly quotas: Pick<Quotas, 'assertRoom' | 'used' | 'limit'>;
  readonly limits: AccountLimits;
  /** There is a mail server; else people pass links on. */
  readonly sendsMail: boolean;
  readonly jobs: JobQueue;
  /** Returns the base URL of links in mail, such as `http://192.168.1.20:3000`; never taken from a request. */
  baseUrl(): string;
  /** Returns the addresses for a token, as the client reaches this server. */
  addresses(call: Pick<Call, 'host' | 'isSecure'>): TokenAddresses;
  readonly recordActivity: RecordActivity;
  /** Creates a device with its alerts and configs; returns its id. */
  createDevice(scope: ServerScope): Promise<number>;
  /** Deletes the rows of a device's largest tables in small steps; called before the device is deleted, outside of a transaction. */
  emptyDevice(scope: DeviceScope): Promise<void>;
  /** Deletes a device with all of its data. */
  destroyDevice(scope: ServerScope, deviceId: number): Promise<void>;
  /** Prepares a garden whose account will be deleted by a job. In a transaction. */
  prepareAccountDeletion(scope: DeviceScope): Promise<void>;
  /** Removes the address of a deleted user from published sequences. */
  anonymizeAuthor(scope: ServerScope, email: string): Promise<void>;
  readonly endSessions: EndSessions;
  /** Ends a person's calendar feed of the scope's garden. */
  endFeed(scope: DeviceScope, userId: number): Promise<void>;
  /** Revokes access that a user granted in all gardens and that needs no session: invitations, calendar feeds, webhooks. Requires a transaction. */
  endDelegatedAccess(server: ServerScope, userId: number): Promise<void>;
  /** Whether a request comes from this machine or a private network: the first account that it creates becomes an administrator. */
  isPrivateCall(call: Pick<Call, 'address' | 'hidesClient' | 'headers' | 'host'>): boolean;
  /** The pages that the links in mails open. */
  readonly pages: {
    /** A page that signs the browser in. */
    signedIn(call: Call, session: object): Reply;
    /** The page after the confirmation of a changed address. */
    addressChanged(call: Call): Reply;
    /** A page for a link that could not confirm an address, which offers another one. */
    deadLink(call: Call, status: number, kind: 'account' | 'change'): Reply;
  };
}
