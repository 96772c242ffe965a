export { type Folded, type FoldedSummary, foldInput, type FoldOptions } from './fold-input.ts';
