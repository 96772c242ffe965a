// Secrets are references, never values: `{ "file": "…" }` or `{ "env": "…" }`. No message shows the value.
import { Retriable } from '@flatline/base';
import { HASH_KEY_BYTES_MIN } from '@flatline/kind-modules/attributes';
import { resolve } from 'node:path';
import { type ReadOnce, readSecretFile, secretIn } from '@flatline/system';
import { type Finding, shownValue } from './configuration-error.ts';
import type { Environment } from './environment.ts';
import type { SecretReference } from '@flatline/kind-modules/form';

export class SecretReader {
  readonly findings: Finding[] = [];
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #readOnce: ReadOnce;

  /** Files are relative to `folder`. */
  constructor(folder: string, environment: Environment, readOnce: ReadOnce = new Map()) {
    this.#folder = folder;
    this.#environment = environment;
    this.#readOnce = readOnce;
  }

  /** Makes a reader of the same places, to be read later. */
  again(): SecretReader {
    return new SecretReader(this.#folder, this.#environment, this.#readOnce);
  }

  /**
   * Calls `read` on the same places as they are now.
   * @throws Retriable naming what cannot be read
   */
  now<T>(read: (secrets: SecretReader) => T): T {
    const again = this.again();
    const found = read(again);
    const problems = again.findings.map(({ setting, value, problem }) => `${setting} is ${value}: ${problem}`);
    if (problems.length > 0) throw new Retriable(problems.join('; '));
    return found;
  }

  /** Where a path of the configuration leads. */
  place(path: string): string {
    return resolve(this.#folder, path);
  }

  /** A finding about what was read. */
  refuse(setting: string, reference: SecretReference, problem: string): void {
    this.#add(setting, reference, problem);
  }

  /** The secret, never an empty one; undefined, and a finding, where there is none. */
  read(setting: string, reference: SecretReference): string | undefined {
    const { text, source, remedy } = this.#textOf(setting, reference);
    if (text === undefined) return undefined;
    const secret = secretIn(text);
    if (secret.trim() !== '') return secret;
    this.#add(setting, reference, `${source} is empty; ${remedy}`);
    return undefined;
  }

  /** A secret that requests name in a header, which holds no control characters and keeps no white space around it. */
  token(setting: string, reference: SecretReference): string | undefined {
    const token = this.read(setting, reference);
    if (token === undefined || (token.trim() === token && !CONTROL.test(token))) return token;
    this.#add(setting, reference, 'a token is one line, without white space around it; several are several entries');
    return undefined;
  }

  /** A secret to hash with (E1), which must not be guessed. */
  hashKey(setting: string, reference: SecretReference): string | undefined {
    const key = this.read(setting, reference);
    if (key === undefined || Buffer.byteLength(key) >= HASH_KEY_BYTES_MIN) return key;
    this.#add(
      setting,
      reference,
      `a key of at least ${HASH_KEY_BYTES_MIN} bytes: what is hashed with a shorter one can be guessed; openssl rand -hex 32 makes one`,
    );
    return undefined;
  }

  /** The text of a file that a setting names. */
  file(setting: string, path: string): string | undefined {
    try {
      return readSecretFile(resolve(this.#folder, path), this.#readOnce);
    } catch (error) {
      this.#add(setting, { file: path }, `the file cannot be read (${reasonOf(error)})`);
      return undefined;
    }
  }

  #textOf(
    setting: string,
    reference: SecretReference,
  ): { readonly text: string | undefined; readonly source: string; readonly remedy: string } {
    if ('file' in reference)
      return { text: this.file(setting, reference.file), source: 'the file', remedy: 'write the secret into it' };
    const source = `the variable ${reference.env}`;
    const text = this.#environment[reference.env];
    if (text === undefined) this.#add(setting, reference, `${source} is not set`);
    return { text, source, remedy: 'set it to the secret' };
  }

  #add(setting: string, value: unknown, problem: string): void {
    this.findings.push({ setting, value: shownValue(value), problem });
  }
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001F\u007F]/;

function reasonOf(error: unknown): string {
  const shaped = error as { readonly message?: unknown } | null | undefined;
  return String(shaped?.message ?? error);
}
