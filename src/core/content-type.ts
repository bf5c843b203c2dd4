/** Returns whether a `Content-Type` header declares JSON. */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|,|$)/i.test(contentType);
