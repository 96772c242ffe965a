export { batchSizes } from './batch-sizes.ts';
export { type DebounceFoldOptions, foldDebounce, type FoldedWindows } from './fold-debounce.ts';
export type { DebounceFoldRules, FoldedBatch, FoldedItem } from './naive-window.ts';
