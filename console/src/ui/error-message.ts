/** Returns the words of what was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
