// Acts of an operator on schedules, in the words of the flags (Q4).
import type { Millis } from '@flatline/base';
import { foreseenSchedule } from '@flatline/kind-modules';
import type { ShownEntry } from '@flatline/processor';
import type { RecordHeader } from '@flatline/ports';
import { OWN_HEADERS } from '@flatline/ports/formats';
import { commandHeaders, inWordsOf, scheduleHeaders } from '@flatline/schedules';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { actText, keyFor, type KeyFlags, type KeyMessage, sendAct, type SentAct, sentText } from './entry-act.ts';

export type ScheduleAct = 'cancel' | 'pause' | 'resume' | 'trigger';

interface ScheduleKeyFlags extends KeyFlags {
  readonly id?: string;
}

export interface ActFlags extends ScheduleKeyFlags {
  readonly act: ScheduleAct;
}

export interface AddFlags extends ScheduleKeyFlags {
  readonly value?: string;
  readonly valueFile?: string;
  readonly header?: readonly (readonly [name: string, value: string])[];
  readonly dueAt?: string;
  readonly delay?: number;
  readonly every?: number;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly startAt?: string;
  readonly endAt?: string;
  readonly maxRuns?: number;
  readonly expires?: number;
  readonly jitter?: number;
  readonly target?: string;
  readonly reset?: boolean;
}

const EMPTY = new Uint8Array(0);
/** Flag that stands for each header in the rules' messages. */
const FLAGS: Parameters<typeof inWordsOf>[1] = {
  id: '--id',
  dueAt: '--due-at',
  delayMs: '--delay',
  everyMs: '--every',
  cron: '--cron',
  timeZone: '--time-zone',
  startAt: '--start-at',
  endAt: '--end-at',
  maxRuns: '--max-runs',
  expiresMs: '--expires',
  jitterMs: '--jitter',
  target: '--target',
};

export function runAct(flags: ActFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { act, id } = flags;
  const headers = commandHeaders(COMMANDS[act], id);
  return send({ value: act === 'cancel' ? null : EMPTY, headers }, act, flags, console, shell);
}

const COMMANDS = { cancel: 'CANCEL', pause: 'PAUSE', resume: 'RESUME', trigger: 'TRIGGER' } as const;

export function runAdd(flags: AddFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { delay: delayMs, every: everyMs, expires: expiresMs, jitter: jitterMs, reset } = flags;
  const own = scheduleHeaders({ ...flags, delayMs, everyMs, expiresMs, jitterMs }, reset === true);
  return send(
    { value: valueOf(flags, shell), headers: [...foreignHeaders(flags), ...own] },
    'add',
    flags,
    console,
    shell,
  );
}

async function send(
  message: KeyMessage,
  act: ScheduleAct | 'add',
  flags: ScheduleKeyFlags,
  console: Console,
  shell: Shell,
): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipeline = pipelineOfKind(config, 'schedule', flags.pipeline);
  keyFor(pipeline, flags);
  const found = foreseenSchedule(pipeline, message, shell.clock.wallMs());
  if (found.kind !== 'sound')
    throw usageFailure(`${found.reason}: ${inWordsOf(found.detail, FLAGS, 'flag')}. Nothing was sent`);
  const { id } = flags;
  const isAsked = ({ scheduleId }: ShownEntry): boolean => id === undefined || scheduleId === id;
  const concerns = act === 'add' ? undefined : isAsked;
  const sent = await sendAct({ config, pipeline, message, concerns }, flags, console, shell);
  show({ ...sent, act, flags, dueAt: found.dueAt }, console);
  return sent.isThere === false ? ExitCode.failedCheck : ExitCode.ok;
}

interface Sent extends SentAct {
  readonly act: ScheduleAct | 'add';
  readonly flags: ScheduleKeyFlags;
  readonly dueAt: Millis | undefined;
}

/** By this machine's clock; the record's timestamp is the broker's. */
function show({ act, flags, dueAt, ...sent }: Sent, console: Console): void {
  const { key, id } = flags;
  const { topic, partition, offset, isThere } = sent;
  const due = dueAt === undefined ? '' : `, due at about ${new Date(dueAt).toISOString()}`;
  const what = `${actText(act, key)}${id === undefined ? '' : ` (${printable(id)})`}`;
  const schedule = act === 'add' && offset >= 0 ? `${partition}-${offset}` : undefined;
  console.result(
    { kind: 'sent', act, key, id, topic, partition, offset, schedule, dueAt, found: isThere },
    `${what}: ${sentText(sent, act !== 'add', 'there is no such schedule')}${due}`,
  );
}

function valueOf({ value, valueFile }: AddFlags, { folder }: Shell): Uint8Array {
  if (valueFile === undefined) return Buffer.from(value ?? '');
  if (value !== undefined) throw usageFailure('--value and --value-file: only one of them can be the value');
  try {
    return readFileSync(resolve(folder, valueFile));
  } catch (error) {
    throw usageFailure(`--value-file ${valueFile} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

function foreignHeaders({ header = [] }: AddFlags): RecordHeader[] {
  return header.map(([name, value]) => {
    if (name.startsWith(OWN_HEADERS)) throw usageFailure(`--header ${name}: names that begin so are Flatline's own`);
    return { name, value: Buffer.from(value) };
  });
}
