import { DebounceLog, T } from './debounce.fixture.ts';

/** A commit with a window, and one with another item of it. */
export function changedWindow(): DebounceLog {
  const log = new DebounceLog();
  log.add(T, 'k', 'first', { trace: 'ab' });
  log.commit();
  log.add(T + 500, 'k', 'second');
  log.commit();
  return log;
}
