import { isUtf8 } from 'node:buffer';
import type { SessionSummary } from '@flatline/ports/formats';
import { BadInput, excerpt } from '../bad-input.ts';
import { checkSafeInteger, type RecordField, type RecordShape } from '../record-shape.ts';
import { asBuffer } from '../text-reader.ts';

/**
 * A summary as a reader gets it: a reason of a newer processor, not in CloseReason yet, is kept, and so is a state. `reason` is
 * empty while the session lives.
 */
export type ReceivedSummary = Omit<SessionSummary, 'reason' | 'state' | 'reduced'> & {
  readonly reason: string;
  readonly state: string;
  /** The result of the pipeline's reducer, by its schema; undefined: there is no reducer. */
  readonly reduced?: unknown;
};

/** The fields of the record, while it is read. */
export type SummaryDraft = { -readonly [Name in Exclude<keyof ReceivedSummary, 'key'>]: ReceivedSummary[Name] } & {
  sessionId: string;
  sessionKeyBase64: string | undefined;
};

/** Returns the values of fields left out: the defaults of `schemas/session-summary.avsc`. */
export function blankDraft(): SummaryDraft {
  return {
    sessionId: '',
    incarnation: '',
    revision: 0,
    reason: '',
    startedAt: 0,
    lastSeenAt: 0,
    endedAt: 0,
    durationMs: 0,
    deadlineAt: 0,
    closedAt: 0,
    emittedAt: 0,
    timeoutMs: 0,
    eventCount: 0,
    duplicateCount: 0,
    outOfOrderCount: 0,
    lateCount: 0,
    missingCount: 0,
    countsByType: new Map(),
    attributes: new Map(),
    truncated: false,
    partition: 0,
    firstOffset: 0,
    lastOffset: 0,
    sessionKeyBase64: undefined,
    heldMs: undefined,
    absorbed: undefined,
    state: 'CLOSED',
    capped: false,
    byOperator: undefined,
    reduced: undefined,
  };
}

/**
 * Field by field: spreading the draft into another object took an eighth of what it costs to read a summary.
 * @throws BadInput where `sessionKeyBase64` is not base64.
 */
export function finishDraft(draft: SummaryDraft): ReceivedSummary {
  const { sessionId, sessionKeyBase64 } = draft;
  return {
    key: sessionKeyBase64 === undefined ? Buffer.from(sessionId, 'utf8') : keyFromBase64(sessionKeyBase64),
    incarnation: draft.incarnation,
    revision: draft.revision,
    reason: draft.reason,
    startedAt: draft.startedAt,
    lastSeenAt: draft.lastSeenAt,
    endedAt: draft.endedAt,
    durationMs: draft.durationMs,
    deadlineAt: draft.deadlineAt,
    closedAt: draft.closedAt,
    emittedAt: draft.emittedAt,
    timeoutMs: draft.timeoutMs,
    eventCount: draft.eventCount,
    duplicateCount: draft.duplicateCount,
    outOfOrderCount: draft.outOfOrderCount,
    lateCount: draft.lateCount,
    missingCount: draft.missingCount,
    countsByType: draft.countsByType,
    attributes: draft.attributes,
    truncated: draft.truncated,
    partition: draft.partition,
    firstOffset: draft.firstOffset,
    lastOffset: draft.lastOffset,
    heldMs: draft.heldMs,
    absorbed: draft.absorbed,
    state: draft.state,
    capped: draft.capped,
    byOperator: draft.byOperator,
    reduced: draft.reduced,
  };
}

function keyFromBase64(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  // Buffer passes over what is not base64.
  if (key.toString('base64') === text) return key;
  throw new BadInput('invalid-session-key-base64', `sessionKeyBase64 is ${excerpt(text)}, wanted padded base64`);
}

/** Longs of both directions, by name. */
type LongName = {
  [Name in keyof SessionSummary]-?: SessionSummary[Name] extends number ? Name : never;
}[keyof SessionSummary];

/** `get` is written out for each: reading a field by a name that varies takes ten times as long. */
function long(
  name: LongName,
  required: boolean,
  get: (summary: SessionSummary) => number,
): RecordField<SessionSummary, SummaryDraft> {
  return {
    name,
    kind: 'long',
    nullable: false,
    required,
    get,
    set: (draft, value) => {
      draft[name] = checkSafeInteger(name, value, Number.MIN_SAFE_INTEGER);
    },
  };
}

/** The fields of `schemas/session-summary.avsc`, in its order. */
export const SUMMARY_SHAPE: RecordShape<SessionSummary, SummaryDraft> = [
  {
    name: 'sessionId',
    kind: 'text',
    nullable: false,
    required: true,
    get: (summary) => asBuffer(summary.key).toString('utf8'),
    bytes: (summary) => summary.key,
    set: (draft, value) => {
      draft.sessionId = value;
    },
  },
  {
    name: 'incarnation',
    kind: 'text',
    nullable: false,
    required: true,
    get: (summary) => summary.incarnation,
    set: (draft, value) => {
      draft.incarnation = value;
    },
  },
  long('revision', false, (summary) => summary.revision),
  {
    name: 'reason',
    kind: 'text',
    recurs: true,
    nullable: false,
    required: true,
    get: (summary) => summary.reason,
    set: (draft, value) => {
      draft.reason = value;
    },
  },
  long('startedAt', true, (summary) => summary.startedAt),
  long('lastSeenAt', true, (summary) => summary.lastSeenAt),
  long('endedAt', true, (summary) => summary.endedAt),
  long('durationMs', true, (summary) => summary.durationMs),
  long('deadlineAt', true, (summary) => summary.deadlineAt),
  long('closedAt', true, (summary) => summary.closedAt),
  long('emittedAt', true, (summary) => summary.emittedAt),
  long('timeoutMs', true, (summary) => summary.timeoutMs),
  long('eventCount', true, (summary) => summary.eventCount),
  long('duplicateCount', false, (summary) => summary.duplicateCount),
  long('outOfOrderCount', false, (summary) => summary.outOfOrderCount),
  long('lateCount', false, (summary) => summary.lateCount),
  long('missingCount', false, (summary) => summary.missingCount),
  {
    name: 'countsByType',
    kind: 'longMap',
    nullable: false,
    required: false,
    get: (summary) => summary.countsByType,
    set: (draft, value) => {
      draft.countsByType = value;
    },
  },
  {
    name: 'attributes',
    kind: 'textMap',
    nullable: false,
    required: false,
    get: (summary) => summary.attributes,
    set: (draft, value) => {
      draft.attributes = value;
    },
  },
  {
    name: 'truncated',
    kind: 'boolean',
    nullable: false,
    required: false,
    get: (summary) => summary.truncated,
    set: (draft, value) => {
      draft.truncated = value;
    },
  },
  long('partition', true, (summary) => summary.partition),
  long('firstOffset', true, (summary) => summary.firstOffset),
  long('lastOffset', true, (summary) => summary.lastOffset),
  {
    name: 'sessionKeyBase64',
    kind: 'text',
    nullable: true,
    required: false,
    get: (summary) => (isUtf8(summary.key) ? undefined : asBuffer(summary.key).toString('base64')),
    set: (draft, value) => {
      draft.sessionKeyBase64 = value;
    },
  },
  {
    name: 'heldMs',
    kind: 'long',
    nullable: true,
    required: false,
    get: (summary) => summary.heldMs,
    set: (draft, value) => {
      draft.heldMs = checkSafeInteger('heldMs', value, 0);
    },
  },
  {
    name: 'absorbed',
    kind: 'texts',
    nullable: true,
    required: false,
    get: (summary) => summary.absorbed,
    set: (draft, value) => {
      draft.absorbed = value;
    },
  },
  {
    name: 'state',
    kind: 'text',
    recurs: true,
    nullable: false,
    required: false,
    get: (summary) => summary.state,
    set: (draft, value) => {
      draft.state = value;
    },
  },
  {
    name: 'capped',
    kind: 'boolean',
    nullable: false,
    required: false,
    get: (summary) => summary.capped,
    set: (draft, value) => {
      draft.capped = value;
    },
  },
];

/** Only in JSON, and only where it is true: in Avro a header says it. */
const BY_OPERATOR: RecordField<SessionSummary, SummaryDraft> = {
  name: 'byOperator',
  kind: 'boolean',
  nullable: false,
  required: false,
  get: (summary) => summary.byOperator === true,
  set: (draft, value) => {
    if (value) draft.byOperator = true;
  },
};

/** As they are read: with who ended them, and with what a reducer came to, whose schema is the pipeline's own. */
export const RECEIVED_SHAPE: RecordShape<SessionSummary, SummaryDraft> = [
  ...SUMMARY_SHAPE,
  BY_OPERATOR,
  {
    name: 'reduced',
    kind: 'any',
    nullable: true,
    required: false,
    get: () => undefined,
    set: (draft, value) => {
      draft.reduced = value;
    },
  },
];
