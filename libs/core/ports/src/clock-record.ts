/** Header that marks a clock record (C2): null key, empty value, written only to prove that a partition is silent. */
export const CLOCK_HEADER = 'flatline-clock';
/** Beside it on a clock record that is a probe (Q5): who sent it, and which of his it is. Nothing is made of it by whoever reads. */
export const PROBE_HEADER = 'flatline-probe';
