import type { Clock, DurationMs } from '@flatline/base';

/**
 * Settles as `work` does, unless `limitMs` pass first: then `expire` is called and its error thrown. What `work` does
 * later is ignored, so `expire` must end whatever it holds.
 */
export function withinDeadline<T>(
  clock: Clock,
  limitMs: DurationMs,
  work: Promise<T>,
  expire: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(limitMs, () => {
      reject(expire());
    });
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
