/** Inputs of a pipeline. Each look at what comes next goes through all of them (S8). */
export const INPUTS_MAX = 16;
