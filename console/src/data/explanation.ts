/** Returns a robot's explanation as it is shown. The words are loaded when they are needed: the map does not wait for them. */
export async function explanationInWords(explanation: string | null): Promise<string | null> {
  if (explanation === null) return null;
  const words = await import('./log-words.ts').catch(() => null);
  return words?.logInWords(explanation) ?? explanation;
}
