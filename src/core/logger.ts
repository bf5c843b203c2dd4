/** The part of pino's interface that the code uses. Never pass a secret, a body or a header. */
export interface Logger {
  debug(object: object, message: string): void;
  info(object: object, message: string): void;
  warn(object: object, message: string): void;
  error(object: object, message: string): void;
}
