export const KIND_NAMES = ['session', 'lease', 'debounce', 'schedule'] as const;
export type KindName = (typeof KIND_NAMES)[number];
