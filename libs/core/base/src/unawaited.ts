/**
 * To be handed what a function of an application returned that has to be synchronous: a promise is refused, so nothing awaits it,
 * and its rejection would end the process.
 */
export function unawaited<T>(returned: T): T {
  if (returned instanceof Promise) returned.catch(() => undefined);
  return returned;
}
