// Items that wait in windows, one for each key, until the window is due.
import { dueAtOf, measureDue } from './due.js';

export async function debounce(task, store, say) {
  const { records, windows, pollEveryMs } = task;
  const put = (from, to) => store.push(items(from, to, task));
  // As whoever gets a window does: look at each of its items.
  const take = (onDue) => store.drainWindows((value) => onDue(JSON.parse(value).n), pollEveryMs);
  await measureDue(task, { put, take, wanted: store.keepsLast ? Math.min(windows, records) : records }, say);
}

/** All windows get their first item, then all of them their next one; others have a window each. */
function* items(from, to, task) {
  const { records, valueBytes, windows } = task;
  for (let id = from; id < to; id += 1) {
    const window = id < records ? id % windows : id;
    const head = `{"n":${id},"of":"`;
    const value = `${head}${'x'.repeat(Math.max(0, valueBytes - head.length - 2))}"}`;
    yield { key: `window-${window}`, dueAt: dueAtOf(task, window), value };
  }
}
