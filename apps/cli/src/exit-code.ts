/** Exit codes of the process. Documented in `flatline --help`; scripts are written against these numbers. */
export const ExitCode = {
  ok: 0,
  failedCheck: 1,
  usage: 2,
  unreachable: 3,
  stateInUse: 4,
  partitionStopped: 5,
  internal: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** One line per code, in the order of the numbers. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [ExitCode.ok, 'done; a command that runs until stopped was stopped'],
  [
    ExitCode.failedCheck,
    'the answer is no: topics check, topics alter, verify, doctor, try or the demo found something wrong, status a processor that is not ready, probe one that is stuck or silent, partitions restart one that did not restart, get nothing, schedules cancel, pause, resume or trigger found none, dead-letters replay records that were refused again',
  ],
  [
    ExitCode.usage,
    'wrong flags, files, topics or configuration: the message names what; starting again changes nothing',
  ],
  [
    ExitCode.unreachable,
    'a broker, the schema registry, a processor or the database of a sink does not answer, or entries get and list cannot say it now',
  ],
  [ExitCode.stateInUse, 'another process uses the state directory, or has joined as this instance'],
  [
    ExitCode.partitionStopped,
    'the last pipeline of the process stopped, or a log, rights or a table of a sink need an operator to mend them',
  ],
  [ExitCode.internal, 'a defect in Flatline; please report it with the diagnosis file that is named'],
  [ExitCode.interrupted, 'interrupted before the work was complete'],
]);

export function exitCodesHelp(): string {
  const rows = [...exitCodeMeanings].map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `Exit codes:\n${rows.join('\n')}`;
}
