// CPU and memory that getting through a topic costs: this process, and the store's server with all of its processes.
import process from 'node:process';
import { performance } from 'node:perf_hooks';
import { memoryOf, cpuMsOf } from './server-process.js';

export class Meter {
  #records;
  #warmUpRecords;
  #warmUpMs;
  #runMaxMs;
  #serverPid;
  #done = 0;
  /** Events done during the warm-up; undefined while it lasts. */
  #before;
  #begunAtMs;
  #startedAtMs;
  #cpuBeforeMs;

  /** `warmUpRecords`: do not count, or those of the first `warmUpMs` where they are fewer. */
  constructor({ records, warmUpRecords = 0, warmUpMs, runMaxMs, serverPid }) {
    this.#records = records;
    this.#warmUpRecords = warmUpRecords;
    this.#warmUpMs = warmUpMs;
    this.#runMaxMs = runMaxMs;
    this.#serverPid = serverPid;
  }

  /** To be called before the first event is dealt with; later calls change nothing. */
  start() {
    if (this.#begunAtMs !== undefined) return;
    this.#begunAtMs = performance.now();
    this.#count();
    if (this.#warmUpRecords > 0) this.#before = undefined;
  }

  add(events) {
    this.#done += events;
    if (this.#before !== undefined) return;
    if (this.#done >= this.#warmUpRecords || performance.now() - this.#begunAtMs >= this.#warmUpMs) this.#count();
  }

  /** All are dealt with, or time is up. */
  isDone() {
    return this.#done >= this.#records || performance.now() - this.#begunAtMs >= this.#runMaxMs;
  }

  cost() {
    const elapsedMs = performance.now() - this.#startedAtMs;
    const endedAt = Date.now();
    const cpuMs = this.#cpuMs() - this.#cpuBeforeMs;
    const peak = process.resourceUsage().maxRSS * 1024;
    const server = memoryOf(this.#serverPid);
    return {
      ...{ records: this.#done - (this.#before ?? 0), elapsedMs, endedAt, cpuMs, stopped: this.#done < this.#records },
      ...{ peakRssBytes: peak + server, rssBytes: process.memoryUsage.rss() + server },
    };
  }

  #count() {
    this.#before = this.#done;
    this.#cpuBeforeMs = this.#cpuMs();
    this.#startedAtMs = performance.now();
  }

  #cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + cpuMsOf(this.#serverPid);
  }
}
