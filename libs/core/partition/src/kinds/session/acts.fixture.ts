// A log of sessions on which an operator acts, and a task that drains as slowly as it is told to (Q4).
import type { RecordHeader } from '@flatline/ports';
import { WALL } from '../kind-log.fixture.ts';
import { DisorderLog } from './disorder.fixture.ts';

function command(name: string): RecordHeader {
  return { name: 'flatline-command', value: Buffer.from(name) };
}

export class ActsLog extends DisorderLog {
  /** All that have the attribute. Returns its offset. */
  evict(timestamp: number, attribute: string, equals: string): number {
    return this.act(timestamp, null, 'EVICT', JSON.stringify({ attribute, equals }));
  }

  act(timestamp: number, key: string | null, name: string, value: string | null = null): number {
    return this.append({ timestamp, key, value, headers: [command(name)], logAppendTime: false });
  }

  /** As `takeWith`, and commits. */
  commitWith(ends: number): void {
    this.takeWith(ends);
    this.settleCut();
  }

  /** Takes what was added, as far as no record waits for what is due, and lets at most `ends` of that take effect. */
  takeWith(ends: number): void {
    const { count, cursor } = this.handOver(2);
    const { task } = this;
    for (let left = count; left > 0;) {
      const outcome = task.step(cursor, 1, WALL);
      if (outcome.kind === 'due') while (task.expire(1_000, WALL));
      else left -= 1;
    }
    if (ends > 0) task.expire(ends, WALL);
  }
}
