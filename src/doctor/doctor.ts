import { hiddenDatabase } from '../backup/hidden-database.ts';
import type { Logger } from '../core/logger.ts';
import { loadArgon2, loadSharp } from '../core/native-module.ts';
import { loadCropCatalog } from '../garden/crop-catalog.ts';
import { layoutOf } from '../pages/web-app-layout.ts';
import type { Settings } from '../settings/settings.ts';
import { checkBroker, checkBrokerAdmin, checkEmbeddedBroker } from './broker-checks.ts';
import type { CheckResult } from './check-result.ts';
import { check, failures } from './check-result.ts';
import { checkFolder, checkFreeSpace, checkKey, checkPhotos, checkRights } from './data-checks.ts';
import { checkDatabase } from './database-check.ts';
import { checkDescriptors } from './descriptor-limit.ts';
import { hiddenPhotos } from './hidden-photos.ts';
import { checkMail } from './mail-check.ts';
import { checkServer } from './server-checks.ts';

/** Checks the requirements of a server. Changes nothing. */
export async function runChecks(settings: Settings, log: Logger): Promise<CheckResult[]> {
  return [
    await checkFolder(settings),
    ...(await checkRights(settings)),
    await checkFreeSpace(settings),
    await checkNativeModules(settings),
    ...(await checkKey(settings)),
    ...failures('database', await hiddenDatabase(settings)),
    ...(await checkDatabase(settings, log)),
    await checkMail(settings),
    ...(settings.BROKER_URL === null ? await checkEmbeddedBroker(settings) : await checkBroker(settings)),
    ...checkBrokerAdmin(settings),
    ...checkDescriptors(),
    ...checkInactivity(settings),
    ...(await checkPhotos(settings, log)),
    ...failures('photos', await hiddenPhotos(settings, log)),
    ...(await checkWebApp(settings)),
    ...(await checkCrops(settings)),
    ...checkLanguageModel(settings),
    ...(await checkServer(settings)),
  ];
}

/** Checks the packages with native code: the server loads one of them for its first photo. */
const checkNativeModules = ({ DATABASE_URL }: Settings): Promise<CheckResult> =>
  check('native modules', async () => {
    if (DATABASE_URL === null) (await import('../db/sqlite-connection.ts')).openConnection(':memory:', {}).close();
    await Promise.all([loadArgon2(), loadSharp()]);
    return 'All can be loaded.';
  });

async function checkWebApp({ WEB_APP_DIR }: Settings): Promise<CheckResult[]> {
  if (WEB_APP_DIR === null) return [];
  const result = await check('web app', async () => {
    const layout = await layoutOf(WEB_APP_DIR);
    if (layout === null)
      throw new Error('WEB_APP_DIR has no files in assets/dist or assets/parcel; the server will not start.');
    return `WEB_APP_DIR contains the web app in ${layout.bundles}.`;
  });
  return [result];
}

async function checkCrops({ CROPS_FILE }: Settings): Promise<CheckResult[]> {
  if (CROPS_FILE === null) return [];
  const load = async () =>
    `The catalog has ${(await loadCropCatalog(CROPS_FILE)).size} crops with those of CROPS_FILE.`;
  return [await check('crops', load, 'CROPS_FILE')];
}

/** Checks the settings only: a request to the model would cost money. */
function checkLanguageModel({ AI_URL, AI_KEY, AI_MODEL }: Settings): CheckResult[] {
  if (AI_URL === null)
    return AI_KEY === null && AI_MODEL === null
      ? []
      : [{ name: 'language model', ok: false, message: 'AI_KEY and AI_MODEL have no effect without AI_URL.' }];
  return [
    {
      name: 'language model',
      ok: true,
      message: `AI_URL points to ${new URL(AI_URL).host}; no request was sent.`,
    },
  ];
}

/** Returns the reason why inactive accounts are not deleted although INACTIVE_ACCOUNTS is "delete", or null. */
export function inactivityWarning({ INACTIVE_ACCOUNTS, SMTP_URL }: Settings): string | null {
  return INACTIVE_ACCOUNTS === 'delete' && SMTP_URL === null
    ? 'INACTIVE_ACCOUNTS is "delete", but no account is deleted, because users cannot be warned by mail: set SMTP_URL.'
    : null;
}

const checkInactivity = (settings: Settings): CheckResult[] =>
  failures('inactive accounts', inactivityWarning(settings));
