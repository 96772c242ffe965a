// Logs facts about applied records that an operator should know: each when it first shows, and when it grows.
//
// Owns: what has been logged.
// Does not own: the counters (PartitionTask).
import type { Millis } from '@flatline/base';
import type { MisplacedKey, PartitionTask } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import { FillAlarm } from '../fill-alarm.ts';
import type { RuntimeLog } from '../settings.ts';

/** A key in a partition that is not its own (I9), and when it was met, by this machine's wall clock. */
export interface MetMisplacedKey extends MisplacedKey {
  readonly at: Millis;
}

/** Remedy for keys in partitions that are not theirs. */
export const MISPLACED_REMEDY =
  'a key that other clients send to its own lives twice, and ends twice; give clients of librdkafka partitioner=murmur2_random, ' +
  'or set input.partitioner to "any" if they are partitioned otherwise on purpose';

export interface StepAlarmsParts {
  readonly input: TopicPartition;
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly log: RuntimeLog;
  /** PipelineKind.alarms */
  readonly kindAlarms: Readonly<Partial<Record<string, string>>>;
}

export class StepAlarms {
  readonly #parts: StepAlarmsParts;
  readonly #fill: FillAlarm;
  #overtakenLogged = 0;
  #failedLogged = 0;
  #formerTypeLogged = false;
  #misplacedLogged = 0;
  #misplaced: MetMisplacedKey | undefined;
  /** By counter of the kind. */
  readonly #kindLogged = new Map<string, number>();

  constructor(parts: StepAlarmsParts) {
    this.#parts = parts;
    this.#fill = new FillAlarm(parts.log, parts.input);
  }

  /** The newest; undefined: none was met since the task has run. */
  get misplaced(): MetMisplacedKey | undefined {
    return this.#misplaced;
  }

  /** Called before anything that came of these records can be committed. True where they overtook the clock (C3). */
  note(task: PartitionTask, wallNow: Millis): boolean {
    const isOvertaken = this.#noteOvertaken(task);
    this.#noteFormerType(task);
    this.#noteFailed(task);
    this.#noteMisplaced(task, wallNow);
    this.#fill.note(task);
    return isOvertaken;
  }

  /** Logs what records or time brought about, where the kind says that an operator should hear of it. */
  noteKind({ counters }: Pick<PartitionTask, 'counters'>): void {
    const { log, input, kindAlarms } = this.#parts;
    for (const [name, message] of Object.entries(kindAlarms)) {
      const count = counters[name]!;
      if (count <= (this.#kindLogged.get(name) ?? 0)) continue;
      this.#kindLogged.set(name, count);
      log.error(message!, { ...input, [name]: count });
    }
  }

  #noteOvertaken({ counters: { clockOvertaken }, clock, evidence }: PartitionTask): boolean {
    if (clockOvertaken <= this.#overtakenLogged) return false;
    this.#overtakenLogged = clockOvertaken;
    const message = 'records stamped before the clock came late: sessions may have been closed too early (C3)';
    this.#parts.log.error(message, { ...this.#parts.input, clock: clock.now, evidence, clockOvertaken });
    return true;
  }

  #noteFormerType({ counters: { formerTypeRecords } }: PartitionTask): void {
    if (this.#formerTypeLogged || formerTypeRecords === 0) return;
    this.#formerTypeLogged = true;
    const { timestampType, log, input } = this.#parts;
    log.warn(`records from before the input had ${timestampType} are read over (C6)`, { ...input });
  }

  #noteMisplaced({ counters: { misplacedKeys }, misplacedKey }: PartitionTask, at: Millis): void {
    if (misplacedKeys <= this.#misplacedLogged || misplacedKey === undefined) return;
    this.#misplacedLogged = misplacedKeys;
    this.#misplaced = { ...misplacedKey, at };
    const { log, input } = this.#parts;
    log.warn(`keys lie in other partitions than murmur2 gives them: ${MISPLACED_REMEDY} (I9)`, {
      ...input,
      ...misplacedKey,
      misplacedKeys,
    });
  }

  #noteFailed(task: PartitionTask): void {
    const { failedRecords } = task.counters;
    if (failedRecords <= this.#failedLogged) return;
    this.#failedLogged = failedRecords;
    const message = 'records could not be processed, which is a defect of this program; they are dead letters (I6)';
    this.#parts.log.error(message, { ...this.#parts.input, failedRecords, position: task.input.position });
  }
}
