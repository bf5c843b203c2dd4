import type { newestPhotoUrl } from './newest-photo.ts';
import type { PhotoStorage } from './photo-storage.ts';

/** The offer of photos to other rooms. [ADR 100] */
export interface PhotosOffer {
  readonly storage: PhotoStorage;
  readonly newestPhotoUrl: typeof newestPhotoUrl;
}
