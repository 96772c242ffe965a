// Looking keys up, without the processor around it: for worlds in which no socket is.
export { ask, type Asked } from './asking.ts';
export type { EntryAnswer } from './entry-answer.ts';
export { type Asking, Here, type HereAnswers, type LookedPipeline } from './here.ts';
