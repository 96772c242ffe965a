// What getting through a topic costs: this process and the store's server with all of its processes.
import process from 'node:process';
import { performance } from 'node:perf_hooks';
import { memoryOf, cpuMsOf } from './server-process.js';

export class Meter {
  #records;
  #runMaxMs;
  #serverPid;
  #done = 0;
  #startedAtMs;
  #cpuBeforeMs;

  constructor({ records, runMaxMs, serverPid }) {
    this.#records = records;
    this.#runMaxMs = runMaxMs;
    this.#serverPid = serverPid;
  }

  /** To be called before the first event is dealt with; later calls change nothing. */
  start() {
    if (this.#startedAtMs !== undefined) return;
    this.#cpuBeforeMs = this.#cpuMs();
    this.#startedAtMs = performance.now();
  }

  add(events) {
    this.#done += events;
  }

  /** All are dealt with, or time is up. */
  isDone() {
    return this.#done >= this.#records || performance.now() - this.#startedAtMs >= this.#runMaxMs;
  }

  cost() {
    const elapsedMs = performance.now() - this.#startedAtMs;
    const cpuMs = this.#cpuMs() - this.#cpuBeforeMs;
    const peak = process.resourceUsage().maxRSS * 1024;
    const server = memoryOf(this.#serverPid);
    return {
      ...{ records: this.#done, elapsedMs, cpuMs, stopped: this.#done < this.#records },
      ...{ peakRssBytes: peak + server, rssBytes: process.memoryUsage.rss() + server },
    };
  }

  #cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + cpuMsOf(this.#serverPid);
  }
}
