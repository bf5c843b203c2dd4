import type { ServerScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Call, Origin, Reply } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { AccountLimits } from './account-limits.ts';
import type { CredentialUses } from './credential-uses.ts';
import type { KeyPair } from './key-pair.ts';
import type { Passwords } from './passwords.ts';
import type { TokenAddresses, TokenSigner } from './token-signer.ts';
import type { UserActivity } from './user-activity.ts';

/** Settings of new accounts. */
export interface RegistrationRules {
  /** New addresses must be confirmed by a link in a mail. [decision 25] */
  readonly requiresVerification: boolean;
  /** Domains in which accounts may have their address; empty: all. */
  readonly trustedDomains: readonly string[];
}

/** Settings of accounts. */
export interface AccountRules extends RegistrationRules {
  /** Users must have agreed to the terms of service. [rule A17] */
  readonly requiresTerms: boolean;
  readonly signUp: 'open' | 'closed';
  /** Whether visitors may make demo accounts; null: while anyone may sign up. [decision 61] */
  readonly demos: boolean | null;
  /** False: requests for mail are not limited. */
  readonly hasRateLimits: boolean;
}

/** Makes the broker close the connections of a device whose tokens were revoked; `resetsRobot` publishes a factory reset first. Enqueued in the caller's transaction. [decision 37] */
export type EndSessions = (
  server: ServerScope,
  deviceId: number,
  how?: { readonly resetsRobot?: boolean },
) => Promise<void>;

/** The functions that open and end sessions. */
export interface SessionServices {
  readonly signer: TokenSigner;
  readonly activity: UserActivity;
  readonly quotas: Quotas;
  readonly jobs: JobQueue;
  readonly endSessions: EndSessions;
}

/** The functions that create, change and delete accounts. */
export interface UserServices {
  readonly passwords: Passwords;
  readonly jobs: JobQueue;
  readonly gardens: Gardens;
  readonly endSessions: EndSessions;
}

/** The dependencies of creating an account. */
export interface RegistrationServices extends UserServices {
  readonly rules: RegistrationRules;
}

/** The settings and rooms that accounts depend on. */
export interface AccountNeeds {
  readonly rules: AccountRules;
  readonly gardens: Gardens;
  readonly device: DeviceOffer;
  readonly quotas: Quotas;
  readonly endSessions: EndSessions;
  /** Returns the base URL of links in mail, such as `http://192.168.1.20:3000`; never taken from a request. */
  baseUrl(): string;
  /** Returns the addresses for a token, as the client reaches this server. */
  addresses(call: Origin): TokenAddresses;
  /** Returns the addresses for the tokens of robots that the server runs. */
  hostedAddresses(): TokenAddresses;
  /** Whether a request comes from this machine or a private network: the first account that it creates becomes an administrator. */
  isPrivateCall(call: Call): boolean;
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

/** The services of the routes and jobs of accounts. */
export interface AccountServices extends AccountNeeds, SessionServices, UserServices {
  readonly keyPair: KeyPair;
  readonly uses: CredentialUses;
  readonly limits: AccountLimits;
  /** There is a mail server; else people pass links on. */
  readonly sendsMail: boolean;
}
