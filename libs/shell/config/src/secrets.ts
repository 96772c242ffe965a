// Secrets are referred to, never written: `{ "file": "…" }` or `{ "env": "…" }`. What they refer to is in no message.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Finding, shownValue } from './configuration-error.ts';
import type { Environment } from './environment.ts';
import type { SecretReference } from './schema.ts';

export class SecretReader {
  readonly findings: Finding[] = [];
  readonly #folder: string;
  readonly #environment: Environment;

  /** Files are relative to `folder`. */
  constructor(folder: string, environment: Environment) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** The secret; undefined, and a finding, where there is none. A file's last line end is not part of it. */
  read(setting: string, reference: SecretReference): string | undefined {
    if ('file' in reference) return this.file(setting, reference.file)?.trimEnd();
    const value = this.#environment[reference.env];
    if (value !== undefined && value !== '') return value;
    this.#add(setting, reference, `the variable ${reference.env} is not set`);
    return undefined;
  }

  /** The text of a file that a setting names. */
  file(setting: string, path: string): string | undefined {
    try {
      return readFileSync(resolve(this.#folder, path), 'utf8');
    } catch (error) {
      this.#add(setting, { file: path }, `the file cannot be read (${reasonOf(error)})`);
      return undefined;
    }
  }

  #add(setting: string, value: unknown, problem: string): void {
    this.findings.push({ setting, value: shownValue(value), problem });
  }
}

function reasonOf(error: unknown): string {
  const shaped = error as { readonly message?: unknown } | null | undefined;
  return String(shaped?.message ?? error);
}
