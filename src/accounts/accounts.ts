import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call, Session } from '../engine/route.ts';
import type { Foundation, Room } from '../foundation.ts';
import { accountJobs } from './account-jobs.ts';
import { AccountLimits } from './account-limits.ts';
import { accountRoutes } from './account-routes.ts';
import { authenticator } from './authenticator.ts';
import { brokerTokens } from './broker-tokens.ts';
import { demoAccountRoutes } from './demo-account-routes.ts';
import type { DemoSeed } from './demo-accounts.ts';
import { demoCleanupJob } from './demo-accounts.ts';
import type { ConfigDefaults, ServerValues } from './global-config.ts';
import { GlobalConfig, globalConfigRoute } from './global-config.ts';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair, lostKeyMessage } from './key-pair.ts';
import type { PasswordCost } from './passwords.ts';
import { Passwords } from './passwords.ts';
import type { AccountServices } from './services.ts';
import { TokenResolver } from './token-resolver.ts';
import { TokenSigner } from './token-signer.ts';
import { unverifiedAccounts } from './unverified-accounts.ts';
import { UserActivity } from './user-activity.ts';
import { deviceOwners, users } from './users.ts';

/** What accounts need from settings and other rooms. */
export interface AccountDependencies
  extends Pick<
    AccountServices,
    | 'rules'
    | 'baseUrl'
    | 'addresses'
    | 'recordActivity'
    | 'createDevice'
    | 'destroyDevice'
    | 'prepareAccountDeletion'
    | 'anonymizeAuthor'
    | 'endSessions'
    | 'pages'
    | 'quotas'
  > {
  /** The broker's virtual host, which tokens name. */
  readonly vhost: string;
  /** The cost of password hashes; undefined: the default. */
  readonly passwordCost: PasswordCost | undefined;
  readonly configDefaults: ConfigDefaults;
  readonly serverValues: ServerValues;
  readonly demoAccounts: { readonly isOn: boolean; readonly seed: DemoSeed };
}

/** Users, tokens, passwords, verification, the key pair, the global config. */
export interface Accounts extends Room {
  readonly services: AccountServices;
  readonly config: GlobalConfig;
  readonly owners: ReturnType<typeof deviceOwners>;
  readonly brokerTokens: ReturnType<typeof brokerTokens>;
  /** Finds out who sends a request; see {@link authenticator}. */
  authenticate(scope: ServerScope, call: Call): Promise<Session>;
  /** The language of the scope's user, in words; null if unknown. */
  languageOf(scope: DeviceScope): Promise<string | null>;
}

/** Opens the accounts: loads the key pair, or makes it, and writes missing values of the global config. */
export async function openAccounts(foundation: Foundation, dependencies: AccountDependencies): Promise<Accounts> {
  const { server, clock, logger, queue, mail, dataDir, ownsDatabase, messages } = foundation;
  const { vhost, passwordCost, configDefaults, serverValues, demoAccounts, ...services } = dependencies;
  const config = new GlobalConfig(server);
  const path = keyFile(dataDir);
  const keyPair = await loadKeyPair(ownsDatabase ? fileKeyStore(path) : databaseKeyStore(server), async () => {
    // Each server stores its key before the config. [ADR 37]
    if (ownsDatabase && (await config.exists())) throw new Error(lostKeyMessage(path));
  });
  const accounts: AccountServices = {
    ...services,
    keyPair,
    signer: new TokenSigner(keyPair, clock, vhost),
    passwords: new Passwords(passwordCost),
    activity: new UserActivity(server, clock, logger),
    limits: new AccountLimits(clock, services.rules.hasRateLimits),
    jobs: queue,
  };
  await config.ensureDefaults(configDefaults);
  const tokens = new TokenResolver(accounts.signer);

  return {
    services: accounts,
    config,
    owners: deviceOwners(accounts.endSessions),
    brokerTokens: brokerTokens(tokens),
    authenticate: authenticator(accounts, tokens),
    languageOf: async (scope) => (await scope.first(users, { where: { id: scope.userId ?? 0 } }))?.language ?? null,
    routes: [
      ...accountRoutes(accounts),
      globalConfigRoute(config, (call) => accounts.addresses(call).mqttWs),
      ...demoAccountRoutes({ ...demoAccounts, accounts, publish: (message) => messages.publish(message) }),
    ],
    jobs: [...accountJobs(accounts, mail), demoCleanupJob(accounts), unverifiedAccounts(accounts)],
    async start() {
      await config.writeServerValues(serverValues);
      accounts.activity.start();
    },
    stop: () => accounts.activity.stop(),
  };
}
