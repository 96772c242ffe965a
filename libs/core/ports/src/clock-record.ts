/** Header that marks a clock record (C2): null key, empty value, written only to prove that a partition is silent. */
export const CLOCK_HEADER = 'flatline-clock';
