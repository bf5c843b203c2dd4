/** A token, as RabbitMQ knows it. */
export interface TokenReference {
  readonly kind: 'session' | 'personal';
  /** Id of its row. */
  readonly id: number;
}

/** Identifiers of tokens (`jti`), by their devices. */
export type DeviceTokens = ReadonlyMap<number, ReadonlySet<string>>;
