export { assert, AssertionError } from './assert.ts';
export { bareJson } from './bare-json.ts';
export { BriefCopies } from './brief-copies.ts';
export { ByteReader, ByteWriter, copyBytes, MalformedBytes, utf8Of, zigzag } from './bytes.ts';
export {
  Corrupt,
  Fatal,
  Fenced,
  isConsequence,
  Misconfigured,
  PartitionStopped,
  Retriable,
  StateInUse,
  messageOf,
  namedMessageOf,
} from './errors.ts';
export {
  CHANGELOG_FORMAT,
  CHANGELOG_FORMAT_WITH_DISORDER,
  CHANGELOG_FORMAT_WITH_INPUTS,
  CHANGELOG_FORMAT_WITH_REDUCERS,
  CHANGELOG_FORMAT_WITH_KEPT,
  CHANGELOG_FORMAT_WITH_PACKED_SKETCHES,
  CHANGELOG_FORMAT_WITH_REVISIONS,
  CHANGELOG_FORMAT_WITH_SETTINGS,
  CHANGELOG_FORMAT_WITH_SOURCES,
  CHANGELOG_FORMAT_WITH_UPDATES,
  CHANGELOG_FORMATS,
} from './changelog-format.ts';
export type { Calendar } from './calendar.ts';
export { count, counted, plural } from './counted.ts';
export { decimalIn, digitsOf, writeDigits } from './digits.ts';
export { DurationHistogram, type HistogramStatus } from './duration-histogram.ts';
export { didYouMean } from './edit-distance.ts';
export { GrowingMemory } from './growing-memory.ts';
export { hashBytes, hashView } from './hash.ts';
export { INPUTS_MAX } from './inputs-max.ts';
export { KIND_NAMES, type KindName } from './kind-name.ts';
export {
  KEY_BYTES_MAX,
  MESSAGE_BYTES_MAX,
  REQUEST_BYTES_MAX,
  TRANSACTION_TIMEOUT_MAX_MS,
  TRANSACTION_TIMEOUT_MS,
} from './kafka-defaults.ts';
export type { Mutable } from './mutable.ts';
export { type Random, randomBytes, seededRandom } from './random.ts';
export { partitionOf, partitionOfRange } from './partitioner.ts';
export { ReusedMemory } from './reused-memory.ts';
export { type Cancel, type Clock, type DurationMs, INSTANT_MAX, type Millis } from './time.ts';
export { unawaited } from './unawaited.ts';
export { millisecondsIn, WRITTEN_DURATION, type WrittenDuration } from './written-duration.ts';
