import type { Migration } from '../migrator.ts';

/** Enqueues the job that counts the sizes of photos and uploads from before there were quotas. */
export const photoSizes: Migration = {
  number: 20261122113536,
  name: 'photo sizes',
  change(schema) {
    const enqueue = (now: string) => `
      insert into jobs (created_at, updated_at, kind, payload, run_at, attempts, max_attempts)
      select ${now}, ${now}, 'photo_size_count', '{}', ${now}, 0, 4
      where exists (select 1 from images where photo_type is not null and byte_size is null)
      or exists (select 1 from uploads where uploaded_at is not null and byte_size is null)`;
    schema.execute({ sqlite: enqueue(`strftime('%Y-%m-%dT%H:%M:%fZ')`), postgres: enqueue('now()') });
  },
};
