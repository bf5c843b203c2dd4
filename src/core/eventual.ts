/** A value, or a promise of it. A known value costs no turn of the microtask queue. */
export type Eventual<T> = T | Promise<T>;

/** Passes a value on: synchronously if it is known, or else when its promise resolves. */
export const andThen = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);
