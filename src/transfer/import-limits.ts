// The limits of imports. They are Potager's own.

/** Maximum size of a JSON document, in bytes, alone or in an archive. */
export const maxDocumentSize = 32 * 1024 * 1024;

/** Maximum depth of lists and objects: that of a request body, and two levels around each record. */
export const maxDocumentDepth = 104;

/** Maximum number of lists, objects and their elements: many small values take much more memory than their text. */
export const maxValues = 4_000_000;

/** Maximum number of records in a document. */
export const maxRecords = 100_000;

/** Maximum number of stored records of a resource without a limit of its own: clients load all records of an account. */
export const maxRecordsPerResource = 5000;

/** Maximum length of a record as JSON, in characters, as for request bodies. */
export const maxRecordLength = 1024 * 1024;

/** Maximum size of an archive, in bytes. */
export const maxArchiveSize = 2 * 1024 * 1024 * 1024;

export const maxArchiveEntries = 20_000;

/** Maximum size of all uncompressed photos of an archive, in bytes. */
export const maxUncompressedSize = 4 * 1024 * 1024 * 1024;

/** Maximum compression ratio of all photos of an archive, beyond a megabyte. Photos hardly compress. */
export const maxCompressionRatio = 10;

/** Maximum size of an uncompressed photo, in bytes. */
export const maxPhotoSize = 32 * 1024 * 1024;

/** How much of a body beyond the maximum size is read and discarded, in bytes, so that the client receives the response. */
export const maxDiscardedSize = 256 * 1024 * 1024;

/** Maximum number of notes of each kind in a report. */
export const maxNotes = 1000;

/** Maximum length of a note and of its path, in characters. */
export const maxNoteLength = 1000;

/** Concurrent imports of a process. Each may need several hundred megabytes. */
export const importConcurrency = 1;

/** Maximum number of queued imports; further ones are rejected with 429. */
export const maxQueuedImports = 8;
