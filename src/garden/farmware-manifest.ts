import type { DeviceScope } from '../db/scope.ts';
import { updateRecord } from '../engine/records.ts';
import type { FetchFailureReason, FetchResult, ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { ManifestTask } from './farmware-installations.ts';
import { farmwareInstallations, manifestJobKind } from './farmware-installations.ts';

/** Limits of the fetch: in bytes and ms. [rule G9] */
const limits = { maxBytes: 5000, timeout: 20_000 };
const maxPackageLength = 80;

/** Manifests fetched concurrently, each of another person: the hosts of one person may be slow. */
const maxConcurrentFetches = 3;

/** The services of the job. */
export interface ManifestServices {
  readonly fetch: ServerFetch;
  /** Whether the scope's device belongs to a demo account, for which nothing is fetched. */
  readonly isDemo: (scope: DeviceScope) => Promise<boolean>;
}

/** The package's name, or the reason why there is none. `shouldRetry`: the problem is unexpected. */
export interface ManifestResult {
  readonly package: string | null;
  readonly package_error: string | null;
  readonly shouldRetry: boolean;
}

const named = (name: string): ManifestResult => ({ package: name, package_error: null, shouldRetry: false });
const failed = (sentence: string): ManifestResult => ({ package: null, package_error: sentence, shouldRetry: false });
const unexpected = (kind: string): ManifestResult => ({
  package: null,
  package_error: `Unknown error: ${kind}`,
  shouldRetry: true,
});

/** Parses a fetched manifest. */
export function parseManifest({ status, body, isTruncated }: FetchResult): ManifestResult {
  if (status < 200 || status > 299)
    return failed(`The server is online, but the address could not be opened (status ${status}).`);
  const text = body.toString('utf8');
  if (text.trim() === '') return unexpected('the response is empty');
  if (isTruncated) return failed(`The manifest is not valid JSON, or longer than ${limits.maxBytes} bytes.`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return failed('The manifest is not valid JSON.');
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest))
    return unexpected('the manifest is not an object');
  const value = Object.hasOwn(manifest, 'package') ? (manifest as { package: unknown }).package : null;
  if (value === null || value === '') return failed('The manifest must have a text under the key `package`.');
  const name = typeof value === 'string' ? value : JSON.stringify(value);
  if (name.length > maxPackageLength)
    return failed(`The package's name is too long (at most ${maxPackageLength} characters).`);
  return named(name);
}

const sentences: Readonly<Partial<Record<FetchFailureReason, string>>> = {
  address: 'The address cannot be opened.',
  private: 'The address is in a private network, from which this server does not fetch.',
  redirect: 'The address redirects to one that this server does not follow.',
  unresolved: 'The server appears to be offline: its name is unknown.',
  offline: 'The server appears to be offline.',
  timeout: 'The server did not respond in time.',
  refused: 'Could not connect to the server.',
};

/** Returns the result of a fetch that failed. */
export function fetchFailureResult({ reason, code }: FetchFailure): ManifestResult {
  const sentence = sentences[reason];
  return sentence ? failed(sentence) : unexpected(code);
}

async function fetchManifest(fetch: ServerFetch, url: string): Promise<ManifestResult> {
  try {
    return parseManifest(await fetch(url, limits));
  } catch (error) {
    if (error instanceof FetchFailure) return fetchFailureResult(error);
    throw error;
  }
}

const isTask = (payload: object): payload is ManifestTask =>
  'id' in payload && 'device_id' in payload && typeof payload.id === 'number' && typeof payload.device_id === 'number';

/** Returns the job that fetches the manifest of an installation and stores the result. Rejects to be retried. */
export function manifestJob({ fetch, isDemo }: ManifestServices): JobDefinition {
  return {
    kind: manifestJobKind,
    waitsFor: 'web',
    concurrency: maxConcurrentFetches,
    perPerson: 1,
    async handle(server, payload) {
      if (!isTask(payload)) throw new Error('the payload of a manifest job has no installation');
      await storeManifest(server.device(payload.device_id), payload.id);
    },
  };

  async function storeManifest(device: DeviceScope, id: number): Promise<void> {
    const where = { id };
    const installation = await device.first(farmwareInstallations, { where });
    if (!installation) return;
    const { shouldRetry, ...result } = (await isDemo(device))
      ? failed('Demo accounts cannot install farmware.')
      : await fetchManifest(fetch, installation.url);
    await device.transaction(async (scope) => {
      const before = await scope.first(farmwareInstallations, { where });
      if (before) await updateRecord(scope, farmwareInstallations, before, result);
    });
    if (shouldRetry) throw new Error(`fetching a manifest failed: ${result.package_error}`);
  }
}
