/** Resolves after that long: for schedules of faults, and between looks at what has no notification. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
