/** Whether a content type promises JSON. */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|,|$)/i.test(contentType);
