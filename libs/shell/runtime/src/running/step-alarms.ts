// What an operator should know of the records that were applied: each fact is logged when it shows first, or grows.
//
// Owns: what has been logged.      Does not own: the counters (PartitionTask).
import type { PartitionTask } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import { FillAlarm } from '../fill-alarm.ts';
import type { PipelineSettings, RuntimeLog } from '../settings.ts';

export interface StepAlarmsParts {
  readonly input: TopicPartition;
  readonly settings: Pick<PipelineSettings, 'input'>;
  readonly log: RuntimeLog;
}

export class StepAlarms {
  readonly #parts: StepAlarmsParts;
  readonly #fill: FillAlarm;
  #overtakenLogged = 0;
  #failedLogged = 0;
  #formerTypeLogged = false;

  constructor(parts: StepAlarmsParts) {
    this.#parts = parts;
    this.#fill = new FillAlarm(parts.log, parts.input);
  }

  /** Called before anything that came of these records can be committed. True where they overtook the clock (C3). */
  note(task: PartitionTask): boolean {
    const isOvertaken = this.#noteOvertaken(task);
    this.#noteFormerType(task);
    this.#noteFailed(task);
    this.#fill.note(task);
    return isOvertaken;
  }

  #noteOvertaken({ counters: { clockOvertaken }, clock }: PartitionTask): boolean {
    if (clockOvertaken <= this.#overtakenLogged) return false;
    this.#overtakenLogged = clockOvertaken;
    const message = 'records stamped before the clock came late: sessions may have been closed too early (C3)';
    this.#parts.log.error(message, { ...this.#parts.input, clock: clock.now, clockOvertaken });
    return true;
  }

  #noteFormerType({ counters: { formerTypeRecords } }: PartitionTask): void {
    if (this.#formerTypeLogged || formerTypeRecords === 0) return;
    this.#formerTypeLogged = true;
    const { settings, log, input } = this.#parts;
    log.warn(`records from before the input had ${settings.input.timestampType} are read over (C6)`, { ...input });
  }

  #noteFailed(task: PartitionTask): void {
    const { failedRecords } = task.counters;
    if (failedRecords <= this.#failedLogged) return;
    this.#failedLogged = failedRecords;
    const message = 'records could not be processed, which is a defect of this program; they are dead letters (I6)';
    this.#parts.log.error(message, { ...this.#parts.input, failedRecords, position: task.input.position });
  }
}
