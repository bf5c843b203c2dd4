import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import type { Recipient } from '../mail/message.ts';
import type { authenticator } from './authenticator.ts';
import type { brokerTokens } from './broker-tokens.ts';
import type { confirmation } from './confirmation.ts';
import type { hasOtherMembers, isAdministrators, opensFor, rightsOf } from './garden-rights.ts';
import type { GlobalConfig } from './global-config.ts';
import type { RobotSessions } from './robot-sessions.ts';
import type { SignUp } from './server-settings.ts';
import type { AccountServices } from './services.ts';
import type { TokenResolver } from './token-resolver.ts';
import type { accountOf, hasDevice } from './users.ts';

/** The current rights of a visitor. */
interface Admission {
  readonly signUp: SignUp;
  /** There are no accounts except demo accounts. */
  readonly isNew: boolean;
  /** The visitor needs a code to become the administrator with the first account. */
  readonly needsCode: boolean;
  /** Whether visitors may start demo gardens. */
  readonly hasDemos: boolean;
}

/** The offer of accounts to other rooms. [ADR 100] */
export interface AccountsOffer {
  readonly services: AccountServices;
  readonly config: GlobalConfig;
  readonly brokerTokens: ReturnType<typeof brokerTokens>;
  /** Finds the sender of a request; see {@link authenticator}. */
  readonly authenticate: ReturnType<typeof authenticator>;
  /** Whether a token is known to be a robot session's, without a look at the database. */
  isRobotToken(token: string): boolean;
  readonly robotSessions: RobotSessions;
  /** Returns the session of a token that was verified before, as it is now; undefined if it ended. */
  currentSession: TokenResolver['current'];
  sessionsVersion: TokenResolver['version'];
  /** See {@link confirmation}. */
  readonly confirm: ReturnType<typeof confirmation>;
  readonly accountOf: typeof accountOf;
  /** Returns a user as the recipient of mails; null if there is none. */
  recipientOf(server: ServerScope, userId: number): Promise<Recipient | null>;
  readonly isMember: typeof hasDevice;
  readonly isAdministrators: typeof isAdministrators;
  readonly opensFor: typeof opensFor;
  readonly hasOtherMembers: typeof hasOtherMembers;
  readonly rightsOf: typeof rightsOf;
  /** The name of the language of the scope's user; null if unknown. */
  languageOf(scope: DeviceScope): Promise<string | null>;
  /** The code with which the first account becomes an administrator from anywhere; null: there was an account. */
  firstAccountCode(scope: ServerScope): Promise<string | null>;
  /** The visitors who may sign up now, for pages. */
  admission(scope: ServerScope, call: Call): Promise<Admission>;
  /** Whether visitors may make demo accounts now. */
  allowsDemos(scope: ServerScope): Promise<boolean>;
  /** Whether there is, or was since the start, an account that is not a demo account. */
  hasAccounts(scope: ServerScope): Promise<boolean>;
}
