/** Resolves after that time: for schedules of faults, and between looks at things without notifications. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
