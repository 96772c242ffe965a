/** Asks now and then again while the page is in sight, a pause after each answer; @returns what ends it. */
export function repeatedly<T>(everyMs: number, ask: () => Promise<T>, tell: (answer: T) => void): () => void {
  let isEnded = false;
  const hasEnded = (): boolean => isEnded;
  const run = async (): Promise<void> => {
    while (!hasEnded()) {
      if (!document.hidden) {
        const answer = await ask();
        // An answer to a question that is no longer asked.
        if (hasEnded()) return;
        tell(answer);
      }
      await new Promise((next) => setTimeout(next, everyMs));
    }
  };
  void run();
  return () => {
    isEnded = true;
  };
}
