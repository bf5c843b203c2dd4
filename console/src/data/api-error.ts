import { WordedError } from '../ui/error-message.ts';

/** A failed request: an error response, or none. */
export class ApiError extends WordedError {
  override readonly name = 'ApiError';
  /** 0: the server could not be reached. */
  readonly status: number;
  /** The server's messages by field name. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, fields: Readonly<Record<string, string>>) {
    super([...new Set(Object.values(fields))].join(' '));
    this.status = status;
    this.fields = fields;
  }
}

type Problem = readonly [field: string, sentence: string];

/** The field of messages that belong to none. */
export const noField = 'error';

/** Joins the messages of each field, without duplicates. */
export function byField(problems: Iterable<Problem>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [field, sentence] of problems)
    if (!fields[field]?.includes(sentence)) fields[field] = [fields[field] ?? '', sentence].join(' ').trim();
  return fields;
}

/** Parses the body of a failed response: sentences by field, also of parts of a batch and of records by their numbers, or an object with `error`. */
export const apiError = (status: number, body: unknown): ApiError =>
  new ApiError(
    status,
    byField(typeof body === 'object' && body !== null ? problemsIn(body) : [[noField, `HTTP ${status}`]]),
  );

const problemsIn = (value: unknown, field = noField): readonly Problem[] =>
  typeof value === 'string'
    ? [[field, value]]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => problemsIn(part, /^\d+$/.test(name) ? field : name))
      : [];
