import type { ImageRow } from '../photos/images.ts';
import type { PreparedPhoto } from '../photos/photo-records.ts';

/** The fields of a photo's row for a stored picture. */
export type StoredPhoto = Pick<ImageRow, 'attachment_url' | 'origin'> & PreparedPhoto;
