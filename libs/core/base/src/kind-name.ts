/** The kinds of pipelines, in the order in which they are listed. Whatever has something for each kind is a table total over these. */
export const KIND_NAMES = ['session', 'lease', 'debounce', 'schedule'] as const;

export type KindName = (typeof KIND_NAMES)[number];
