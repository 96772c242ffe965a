// Messages that wait until they are due.
import { dueAtOf, measureDue } from './due.js';

export async function delays(task, store, say) {
  const { records, pollEveryMs } = task;
  const put = (from, to) => store.add(messages(from, to, task));
  await measureDue(task, { put, take: (onDue) => store.drain(onDue, pollEveryMs), wanted: records }, say);
}

function* messages(from, to, task) {
  for (let id = from; id < to; id += 1) {
    const dueAt = dueAtOf(task, id);
    yield { id, dueAt, value: `{"deadlineAt":${dueAt}}`.padEnd(task.valueBytes) };
  }
}
