/** A response that is no success, or none at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: the server could not be reached. */
  readonly status: number;
  /** What the server says about single fields, by their names. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, fields: Readonly<Record<string, string>>) {
    super([...new Set(Object.values(fields))].join(' '));
    this.status = status;
    this.fields = fields;
  }
}

/** The refusal of a part of a change whose earlier parts were carried out. */
export class PartialFailure extends ApiError {
  /** Records that were changed. */
  readonly done: number;
  readonly all: number;

  constructor({ status, fields }: ApiError, done: number, all: number) {
    super(status, fields);
    this.done = done;
    this.all = all;
  }
}

/** Parses the body of a failed response: sentences by field, or an object with `error`. */
export function apiError(status: number, body: unknown): ApiError {
  if (typeof body !== 'object' || body === null) return new ApiError(status, { error: `HTTP ${status}` });
  const sentences = Object.entries(body).flatMap(([field, value]) => {
    // Of a request for several records: the sentences of each, by its number.
    const parts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    const texts = parts.filter((part) => typeof part === 'string');
    return texts.length > 0 ? [[field, texts.join(' ')] as const] : [];
  });
  return new ApiError(status, Object.fromEntries(sentences));
}
