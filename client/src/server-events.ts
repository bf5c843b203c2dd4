/** An event of a `text/event-stream`, as the HTML standard defines it. */
export interface ServerEvent {
  readonly event: string;
  /** Of this event, or of the last one that had an id. */
  readonly id: string;
  /** Its lines; empty if the event only changes the id or the delay. */
  readonly data: string;
  /** Milliseconds before the stream should be requested again; null if the event does not say. */
  readonly retry: number | null;
}

/** Parses the events of a stream. An incomplete one at the end is dropped. `lastId`: of the last event before. */
export async function* serverEvents(
  pieces: AsyncIterable<string>,
  lastId: string,
): AsyncGenerator<ServerEvent, void, undefined> {
  let rest = '';
  let id = lastId;
  let fields = new Map<string, string[]>();
  for await (const piece of pieces) {
    rest += piece;
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
        fields.set(name, [...(fields.get(name) ?? []), value]);
        continue;
      }
      id = fields.get('id')?.at(-1) ?? id;
      const retry = Number.parseInt(fields.get('retry')?.at(-1) ?? '', 10);
      const event = fields.get('event')?.at(-1) || 'message';
      const data = (fields.get('data') ?? []).join('\n');
      const isEvent = ['data', 'id', 'retry'].some((name) => fields.has(name));
      if (isEvent) yield { event, id, data, retry: Number.isNaN(retry) ? null : retry };
      fields = new Map();
    }
  }
}
