/** Most inputs of a pipeline: choosing the next record looks at all of them (S8). */
export const INPUTS_MAX = 16;
