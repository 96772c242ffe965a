// Debian's Prometheus over processors of a test: one process, with its own files in a folder of the test's, ended with the test.
import { freePorts } from '@flatline/dev-broker';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { launch, type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

export const NO_PROMETHEUS = 'it is not installed (the package prometheus of Debian, which .ci/run unpacks)';
const LOOK_MS = 250;

/** The path of the program; undefined: it is not installed. */
export function installedPrometheus(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'prometheus')).find((path) => existsSync(path));
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

export class Prometheus {
  readonly #folder: string;
  readonly #address: string;
  readonly #running: Running;
  readonly #targets = new Map<string, string>();

  private constructor(folder: string, address: string, running: Running) {
    this.#folder = folder;
    this.#address = address;
    this.#running = running;
  }

  /** Scrapes every three seconds, and evaluates `rules`, a file of rules as text, every second. Resolves once it answers. */
  static async start(program: string, parent: string, rules: string): Promise<Prometheus> {
    const folder = join(parent, 'prometheus');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'rules.yaml'), rules);
    writeFileSync(join(folder, 'targets.json'), '[]');
    const config = {
      global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [{ job_name: 'flatline', file_sd_configs: [{ files: ['targets.json'] }] }],
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const [port] = await freePorts(1);
    const flags = {
      'config.file': join(folder, 'prometheus.yml'),
      'storage.tsdb.path': join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port!}`,
    };
    const running = launch(
      program,
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    );
    const prometheus = new Prometheus(folder, `http://127.0.0.1:${port!}`, running);
    const ended = running.finished.then(({ stderr }): never => {
      throw new Error(`Prometheus has ended: ${stderr}`);
    });
    ended.catch(() => undefined);
    while (!(await Promise.race([prometheus.#isReady(), ended]))) await sleep(LOOK_MS);
    return prometheus;
  }

  async #isReady(): Promise<boolean> {
    return fetch(`${this.#address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** `address`: `http://host:port`. Its series have this name as label `instance`. */
  scrape(instance: string, address: string): void {
    this.#targets.set(instance, new URL(address).host);
    this.#tell();
  }

  /** Its series end, and so do alerts about it. */
  leave(instance: string): void {
    this.#targets.delete(instance);
    this.#tell();
  }

  #tell(): void {
    const groups = [...this.#targets].map(([instance, host]) => ({ targets: [host], labels: { instance } }));
    const file = join(this.#folder, 'targets.json');
    // Renamed into place, so that no half of it is read.
    writeFileSync(`${file}.new`, JSON.stringify(groups));
    renameSync(`${file}.new`, file);
  }

  /** Resolves once it has scraped the instance that runs now. */
  async scraped(instance: string): Promise<void> {
    const beganAt = Date.now() / 1_000;
    const series = `process_start_time_seconds{instance="${instance}"}`;
    const isNew = `timestamp(${series}) > ${beganAt + 1}`;
    while ((await this.query(isNew)).length === 0) await sleep(LOOK_MS);
  }

  /** Evaluates an expression now. @throws Error if it is none */
  async query(expression: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${this.#address}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expression }),
    });
    const said = (await answer.json()) as { readonly error?: string; readonly data: { readonly result: Sample[] } };
    if (!answer.ok) throw new Error(`${expression}: ${said.error ?? answer.status}`);
    return said.data.result;
  }

  /** Names of all alerts that have fired at any time about this pipeline, or an instance of this name or `name-…`. */
  async fired(name: string): Promise<readonly string[]> {
    const ever = await this.#alerts(name, '', (series) => `last_over_time(${series}[1h])`);
    return [...new Set(ever.map(({ metric }) => metric['alertname']!))].toSorted();
  }

  /** Resolves once that alert fires; `about` as above. */
  async fires(alert: string, about: string): Promise<void> {
    while ((await this.#alerts(about, alert)).length === 0) await sleep(LOOK_MS);
  }

  /** Resolves once that alert fires no more. */
  async ends(alert: string, about: string): Promise<void> {
    while ((await this.#alerts(about, alert)).length > 0) await sleep(LOOK_MS);
  }

  #alerts(about: string, alert: string, of = (series: string): string => series): Promise<readonly Sample[]> {
    const firing = `alertstate="firing",alertname=~"${alert === '' ? '.+' : alert}"`;
    const [instance, pipeline] = [`instance=~"${about}(-.*)?"`, `pipeline="${about}"`];
    return this.query(`${of(`ALERTS{${firing},${instance}}`)} or ${of(`ALERTS{${firing},${pipeline}}`)}`);
  }

  async stop(): Promise<void> {
    this.#running.child.kill('SIGTERM');
    await this.#running.finished;
  }
}
