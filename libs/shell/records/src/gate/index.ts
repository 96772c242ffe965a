// Between the bytes of an input and its events: which attributes pass, and values that are no events.
export { gated, type PassedAttributes } from './attribute-gate.ts';
export { foreignDecoder } from './foreign-values.ts';
