/** A value, or the promise of one. Most answers are there at once, and to wait for one costs as much as to find it. */
export type Prompt<T> = T | Promise<T>;

/** Goes on at once where it can. Throws where `next` does so at once. */
export function afterwards<T, U>(value: Prompt<T>, next: (value: T) => Prompt<U>): Prompt<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
