// Requirements of each topic of a pipeline, with reasons. Pure.
//
// The partition count is the same for all of them (O5); everything else is a setting.
import { MESSAGE_BYTES_MAX } from '@flatline/base';

export type TopicRole = 'input' | 'output' | 'target' | 'changelog' | 'deadLetters';
export type TimestampType = 'LogAppendTime' | 'CreateTime';

/** The topics of one pipeline, as the configuration names them. */
export interface PipelineTopics {
  readonly pipeline: string;
  /** Topic of another pipeline that it has as many partitions as. Default: it stands alone. */
  readonly follows?: string | undefined;
  /** The pipeline whose deliveries it keeps: its input bears no application's name (N3). Default: it keeps none. */
  readonly deliveriesOf?: string | undefined;
  /** Group that reads the input. */
  readonly group: string;
  readonly input: string;
  readonly timestampType: TimestampType;
  /** Inputs that are read with it as one (S8), partitioned as it is. Default: there are none. */
  readonly furtherInputs?: readonly { readonly topic: string; readonly timestampType: TimestampType }[];
  /** True if clock records are written to the input (C2). */
  readonly writesInput: boolean;
  readonly output: string;
  /** Topics to which records may go beside the output. */
  readonly targets?: readonly string[];
  /** Topics to which its routes lead (P3): their readers' own, with partitions of their own number. */
  readonly routed?: readonly string[];
  readonly changelog: string;
  readonly deadLetters: string;
  /** Most bytes of single records of changelog and output, by the settings that are named. */
  readonly largest: { readonly changelogBytes: number; readonly outputBytes: number; readonly settings: string };
}

export interface SettingRequirement {
  readonly name: string;
  /** Value that a topic is created with. */
  readonly value: string;
  /** True if an existing topic with this value may stay as it is. */
  readonly accepts: (value: string) => boolean;
  /** The failure to expect otherwise. */
  readonly reason: string;
  /** True if the failure depends on the records: a warning, and no reason not to run. */
  readonly isRisk?: boolean;
  /** A new topic gets the broker's own setting. */
  readonly leftToBroker?: boolean;
}

export interface TopicRequirement {
  readonly topic: string;
  readonly role: TopicRole;
  readonly settings: readonly SettingRequirement[];
}

/** Room for the headers that say why a record became a dead letter (I1). */
const DEAD_LETTER_EXTRA_BYTES = 65_536;
/** Disk of a truncated changelog is given back by whole segments. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
const SEGMENT_BYTES_MAX = 256 * 1024 * 1024;

/** `inputMessageBytes`: the input's `max.message.bytes`, which its dead letters must hold. */
export function requirementsOf(
  topics: PipelineTopics,
  inputMessageBytes: number = MESSAGE_BYTES_MAX,
): TopicRequirement[] {
  const { targets = [], furtherInputs = [] } = topics;
  return [
    { topic: topics.input, role: 'input', settings: inputSettings(topics.timestampType) },
    ...furtherInputs.map(({ topic, timestampType }) => ({
      topic,
      role: 'input' as const,
      settings: inputSettings(timestampType),
    })),
    { topic: topics.output, role: 'output', settings: outputSettings(topics) },
    // They are their readers' own: compacted or not.
    ...targets.map((topic) => ({ topic, role: 'target' as const, settings: [roomyFor(topics, 'outputBytes')] })),
    {
      topic: topics.changelog,
      role: 'changelog',
      settings: [...changelogSettings, roomyFor(topics, 'changelogBytes')],
    },
    { topic: topics.deadLetters, role: 'deadLetters', settings: deadLetterSettings(inputMessageBytes) },
  ];
}

function exactly(name: string, value: string, reason: string): SettingRequirement {
  return { name, value, accepts: (found) => found === value, reason };
}

function atLeast(name: string, least: number, reason: string): SettingRequirement {
  return { name, value: String(least), accepts: (found) => Number(found) >= least, reason };
}

function deleted(reason: string): SettingRequirement {
  return exactly('cleanup.policy', 'delete', reason);
}

function outputSettings(topics: PipelineTopics): readonly SettingRequirement[] {
  return [deleted('compaction would remove summaries unseen'), roomyFor(topics, 'outputBytes')];
}

/** For a batch of a commit, and for the longest entry that the limits allow. */
function roomyFor({ largest }: PipelineTopics, which: 'changelogBytes' | 'outputBytes'): SettingRequirement {
  const bytes = largest[which];
  if (bytes <= MESSAGE_BYTES_MAX)
    return atLeast('max.message.bytes', MESSAGE_BYTES_MAX, 'a batch of one commit would be refused');
  const reason = `the longest session that ${largest.settings} allow would stop its partition; or lower these`;
  return atLeast('max.message.bytes', bytes, reason);
}

/** K7. */
const changelogSettings: readonly SettingRequirement[] = [
  deleted('the processor truncates it itself; compaction refuses its records, which have no key'),
  exactly('retention.ms', '-1', 'live sessions would be forgotten by age'),
  exactly('retention.bytes', '-1', 'live sessions would be forgotten by size'),
  exactly('message.timestamp.type', 'LogAppendTime', 'its records would carry a local clock'),
  {
    name: 'segment.bytes',
    value: String(SEGMENT_BYTES),
    accepts: (found) => Number(found) <= SEGMENT_BYTES_MAX,
    reason: `truncated parts would stay on disk (at most ${SEGMENT_BYTES_MAX})`,
  },
];

function inputSettings(timestampType: TimestampType): SettingRequirement[] {
  const settings = [
    deleted(
      'compaction would remove heartbeats, and refuses clock records, which have no key. Have a table that is compacted copied, ' +
        'as it changes, to a topic of its own with cleanup.policy=delete, and name that one',
    ),
    exactly('message.timestamp.type', timestampType, 'the configuration says so (timestampType)'),
  ];
  // Records that carry old times of their own are older than any retention the moment they arrive.
  if (timestampType === 'CreateTime')
    settings.push(
      risk(
        exactly('retention.ms', '-1', 'records stamped longer ago are deleted minutes after they came, read or not'),
      ),
      risk(exactly('retention.bytes', '-1', 'records are deleted by size, read or not')),
    );
  else settings.push(staying);
  return settings;
}

/** Records that are deleted before they were read stop the partition (R3). */
const RETENTION_MS = 604_800_000;
const RETENTION_MS_LEAST = 86_400_000;
const staying: SettingRequirement = {
  name: 'retention.ms',
  value: String(RETENTION_MS),
  accepts: (found) => Number(found) < 0 || Number(found) >= RETENTION_MS_LEAST,
  reason: `a processor that is down for longer than that stops for good (at least ${RETENTION_MS_LEAST})`,
  isRisk: true,
  leftToBroker: true,
};

function risk(requirement: SettingRequirement): SettingRequirement {
  return { ...requirement, isRisk: true };
}

function deadLetterSettings(inputMessageBytes: number): SettingRequirement[] {
  return [
    deleted('compaction would remove dead letters unseen'),
    atLeast(
      'max.message.bytes',
      Math.max(MESSAGE_BYTES_MAX, inputMessageBytes + DEAD_LETTER_EXTRA_BYTES),
      'a batch of dead letters would be refused, or a large one truncated',
    ),
  ];
}
