// Commands: values of a header of a record on the input, mostly acts of an operator (Q4).

/** Header of a record that commands something; windows and schedules have commands of their own (B3, D1). */
export const COMMAND_HEADER = 'flatline-command';

/** Ends the key's sessions. The record has no value. */
export const END = 'END';
/** Ends the key's lease, whatever its token. The record has no value. */
export const RELEASE = 'RELEASE';
/** Names the act of a null value on a window, or on a key's schedules. The record has no value. */
export const CANCEL = 'CANCEL';
/** Ends every entry with an attribute of a value (FORMATS). The record has no key. */
export const EVICT = 'EVICT';
/** Bytes of each of its two texts in UTF-8: evictions under way stand in the header of each commit. */
export const EVICTION_TEXT_BYTES_MAX = 512;

/** Header of an output that an operator brought about: its value is `true`. Formats without a field for it have this alone. */
export const BY_OPERATOR_HEADER = 'flatline-by-operator';
