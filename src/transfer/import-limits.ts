// What an import takes at most. Every one is ours unless its line says otherwise.

/** Bytes of a JSON document, whether it comes by itself or in an archive. */
export const largestJson = 32 * 1024 * 1024;

/** Levels of lists and objects: those of a body over HTTP, and two around each record. */
export const deepestJson = 104;

/** Lists, objects and the elements between them: what is small as text can be large in memory. */
export const mostValues = 4_000_000;

/** Records of all kinds together. */
export const mostRecords = 100_000;

/** Records of one kind that are stored, where nothing else limits it: what an account holds is read by its clients as a whole. */
export const mostOfAKind = 5000;

/** Bytes of one record as JSON, as over HTTP. */
export const largestRecord = 1024 * 1024;

/** Bytes of an archive. */
export const largestArchive = 2 * 1024 * 1024 * 1024;

/** Files in an archive. */
export const mostEntries = 20_000;

/** Bytes of all unpacked photos together. */
export const largestUnpacked = 4 * 1024 * 1024 * 1024;

/** Photos hardly shrink when they are packed: all of them together unpack to at most so many times the archive, and a megabyte. */
export const greatestRatio = 10;

/** Bytes of one unpacked photo. */
export const largestPhoto = 32 * 1024 * 1024;

/** Bytes of a body that are read and thrown away, so that a client that sends too much is told so. */
export const patience = 256 * 1024 * 1024;

/** Problems and other remarks that a report lists of each kind. */
export const mostNotes = 1000;

/** Characters of a remark, and of the path that it is about. */
export const longestNote = 1000;

/** Imports that one process works on at once. Each may hold some hundred megabytes. */
export const atOnce = 1;

/** Imports that wait for their turn; more are told to come again. */
export const mayWait = 8;

/** How long the event loop is kept at a time, in ms, before others have their turn. */
export const turnTime = 4;
