// A running processor's own status over HTTP.
import { type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

const LOOK_MS = 250;

/** Its address, as printed at its start. */
export async function addressOf(running: Running): Promise<string> {
  return /http:\/\/\S+?(?=;)/.exec(await running.line(/Answers over HTTP/))![0];
}

export async function fetchJson<T>(address: string, path: string): Promise<T> {
  return (await (await fetch(`${address}${path}`)).json()) as T;
}

/** Resolves once it reports that it is ready. */
export async function ready(address: string): Promise<void> {
  while ((await fetch(`${address}/readyz`)).status !== 200) await sleep(LOOK_MS);
}

/** The greatest resident memory seen until `done` settles. */
export async function residentBytesMax(running: Running, done: Promise<unknown>): Promise<number> {
  const address = await addressOf(running);
  let most = 0;
  const watching = new AbortController();
  const end = (): void => {
    watching.abort();
  };
  done.then(end, end);
  while (!watching.signal.aborted) {
    const text = await (await fetch(`${address}/metrics`)).text();
    most = Math.max(most, Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0));
    await Promise.race([sleep(LOOK_MS), done.then(end, end)]);
  }
  return most;
}
