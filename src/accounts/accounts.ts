import type { Foundation, Room } from '../foundation.ts';
import { accountJobs, unverifiedAccounts } from './account-jobs.ts';
import { AccountLimits } from './account-limits.ts';
import { accountRoutes } from './account-routes.ts';
import { authenticator } from './authenticator.ts';
import { brokerTokens } from './broker-tokens.ts';
import { ClockCorrections } from './clock-corrections.ts';
import { confirmation } from './confirmation.ts';
import { CredentialUses } from './credential-uses.ts';
import { demoAccountRoutes } from './demo-account-routes.ts';
import type { DemoSeed } from './demo-accounts.ts';
import { demoCleanupJob } from './demo-accounts.ts';
import { firstAccountCode } from './first-account.ts';
import { hasOtherMembers, isAdministrators, opensFor, rightsOf } from './garden-rights.ts';
import type { ConfigDefaults, ServerValues } from './global-config.ts';
import { GlobalConfig, globalConfigRoute } from './global-config.ts';
import { areNoGuests } from './guests.ts';
import type { AccountsOffer } from './offer.ts';
import type { PasswordCost } from './passwords.ts';
import { Passwords } from './passwords.ts';
import { robotSessions } from './robot-sessions.ts';
import { loadServerKey } from './server-key.ts';
import { allowsDemos, currentSignUp, isFirstAccountExpected } from './server-settings.ts';
import type { AccountNeeds, AccountServices } from './services.ts';
import { TokenResolver } from './token-resolver.ts';
import { TokenSigner } from './token-signer.ts';
import { UserActivity } from './user-activity.ts';
import { accountOf, hasDevice, recipientOf, users } from './users.ts';

/** The settings and rooms that accounts depend on. */
export interface AccountDependencies extends AccountNeeds {
  /** The broker's virtual host, which tokens name. */
  readonly vhost: string;
  /** The cost of password hashes; undefined: the default. */
  readonly passwordCost: PasswordCost | undefined;
  readonly configDefaults: ConfigDefaults;
  readonly serverValues: ServerValues;
  readonly seedDemo: DemoSeed;
}

/** Opens the accounts: loads the key pair, or makes it, and writes missing values of the global config. */
export async function openAccounts(
  foundation: Foundation,
  dependencies: AccountDependencies,
): Promise<Room & AccountsOffer> {
  const { server, clock, logger, queue, mail, messages, sendsMail } = foundation;
  const { vhost, passwordCost, configDefaults, serverValues, seedDemo, ...services } = dependencies;
  const config = new GlobalConfig(server);
  const keyPair = await loadServerKey(foundation, config);
  const accounts: AccountServices = {
    ...services,
    keyPair,
    signer: new TokenSigner(keyPair, clock, vhost),
    passwords: new Passwords(passwordCost),
    activity: new UserActivity(server, clock, logger),
    uses: new CredentialUses(server, clock, logger),
    limits: new AccountLimits(clock, services.rules.hasRateLimits),
    jobs: queue,
    sendsMail,
  };
  await config.ensureDefaults(configDefaults);
  const corrections = new ClockCorrections(server, clock, logger);
  const tokens = new TokenResolver(accounts.signer);
  let hadAccounts = false;
  const hasAccounts: AccountsOffer['hasAccounts'] = async (scope) => {
    hadAccounts ||= (await scope.first(users, { and: areNoGuests })) !== undefined;
    return hadAccounts;
  };

  return {
    services: accounts,
    config,
    brokerTokens: brokerTokens(tokens, accounts.uses),
    authenticate: authenticator(accounts, tokens),
    isRobotToken: (token) => tokens.isRobots(token),
    robotSessions: robotSessions(accounts, accounts.hostedAddresses),
    currentSession: (scope, token) => tokens.current(scope, token),
    sessionsVersion: (scope) => tokens.version(scope),
    confirm: confirmation(accounts),
    accountOf,
    async recipientOf(scope, id) {
      const user = await scope.first(users, { where: { id } });
      return user ? recipientOf(user) : null;
    },
    isMember: hasDevice,
    isAdministrators,
    opensFor,
    hasOtherMembers,
    rightsOf,
    firstAccountCode: async (scope) => ((await isFirstAccountExpected(scope)) ? firstAccountCode(keyPair) : null),
    async admission(scope, call) {
      const signUp = await currentSignUp(scope, services.rules.signUp);
      const isNew = !(await hasAccounts(scope));
      const hasCode = signUp === 'closed' || !services.isPrivateCall(call);
      const needsCode = isNew && hasCode && (await isFirstAccountExpected(scope));
      return { signUp, isNew, needsCode, hasDemos: await allowsDemos(scope, services.rules) };
    },
    allowsDemos: (scope) => allowsDemos(scope, services.rules),
    hasAccounts,
    languageOf: async (scope) => (await scope.first(users, { where: { id: scope.userId ?? 0 } }))?.language ?? null,
    routes: [
      ...accountRoutes(accounts),
      globalConfigRoute(config, (call) => accounts.addresses(call).mqttWs),
      ...demoAccountRoutes({ seed: seedDemo, accounts, publish: (message) => messages.publish(message) }),
    ],
    jobs: [...accountJobs(accounts, mail), demoCleanupJob(accounts), unverifiedAccounts(accounts)],
    async start() {
      await config.writeServerValues(serverValues);
      accounts.activity.start();
      accounts.uses.start();
      await corrections.start();
    },
    async stop() {
      await corrections.stop();
      await accounts.activity.stop();
      await accounts.uses.stop();
    },
  };
}
