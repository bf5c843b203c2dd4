import type { QuotaUsage } from '../core/quotas.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { ImportMode } from './import-report.ts';

/** The photos that an account keeps during an import, and its quotas. */
export interface PhotoAllowance {
  readonly photos: QuotaUsage;
  readonly photo_bytes: QuotaUsage;
}

/** Reads the allowance of an import. One that replaces the account keeps none of its photos. */
export async function photoAllowance(
  scope: DeviceScope,
  mode: ImportMode,
  quotas: Pick<Quotas, 'limit' | 'used'>,
): Promise<PhotoAllowance> {
  const usage = async (name: keyof PhotoAllowance): Promise<QuotaUsage> => ({
    used: mode === 'replace' ? 0 : await quotas.used(scope, name),
    limit: await quotas.limit(scope, name),
  });
  return { photos: await usage('photos'), photo_bytes: await usage('photo_bytes') };
}

const advice = 'Import fewer photos, or ask the operator for more.';

/** Returns why so many more photos with so many bytes are too much, or null. */
export function photoProblem({ photos, photo_bytes }: PhotoAllowance, count: number, bytes: number): string | null {
  if (count === 0) return null;
  if (photos.used + count > photos.limit)
    return `The account may have at most ${photos.limit} photos, not ${photos.used + count}. ${advice}`;
  return photo_bytes.used + bytes > photo_bytes.limit
    ? `The photos of the account may have at most ${photo_bytes.limit} bytes, not ${photo_bytes.used + bytes}. ${advice}`
    : null;
}
