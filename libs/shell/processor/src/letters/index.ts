export { isOutput, isReplayOf, isWhole, type Letter, letterRecord, type LetterRecord } from './letter.ts';
export { replay, type Replayed, type Selected } from './replay.ts';
export { untilSettled } from './settled.ts';
