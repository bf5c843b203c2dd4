/** Returns a document in which the paragraphs with lines that are too long are filled. */
export function filled(document: string): string;
