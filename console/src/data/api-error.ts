/** A failed request: an error response, or none. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: the server could not be reached. */
  readonly status: number;
  /** The server's messages by field name. */
  readonly fields: Readonly<Record<string, string>>;
  /** The message of the API, whatever the language of the page. */
  readonly original: string;

  constructor(status: number, fields: Readonly<Record<string, string>>, original?: string) {
    super([...new Set(Object.values(fields))].join(' '));
    this.status = status;
    this.fields = fields;
    this.original = original ?? this.message;
  }
}

/** Parses the body of a failed response: sentences by field, also of parts of a batch and of records by their numbers, or an object with `error`. */
export function apiError(status: number, body: unknown): ApiError {
  const sentences =
    typeof body === 'object' && body !== null ? sentencesOf(body) : [['error', `HTTP ${status}`] as const];
  const fields: Record<string, string> = {};
  for (const [field, sentence] of sentences)
    if (!fields[field]?.includes(sentence)) fields[field] = [fields[field] ?? '', sentence].join(' ').trim();
  return new ApiError(status, fields);
}

const sentencesOf = (value: unknown, field = 'error'): readonly (readonly [field: string, sentence: string])[] =>
  typeof value === 'string'
    ? [[field, value]]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => sentencesOf(part, /^\d+$/.test(name) ? field : name))
      : [];
