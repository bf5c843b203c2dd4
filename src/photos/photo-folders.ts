import { join } from 'node:path';

/** Photos in the data folder. */
export const photosFolder = (dataDir: string): string => join(dataDir, 'photos');

/** Files on their way, before it is known whether they are kept; in the same file system. */
export const incomingFolder = (dataDir: string): string => join(photosFolder(dataDir), 'incoming');
