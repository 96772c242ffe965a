import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { CommandRun, Shell } from '../shell.ts';

/** Context that every command is built with. */
export interface CommandContext {
  readonly shell: Shell;
  /** Told what a report of a defect should hold. */
  readonly diagnosis: Diagnosis;
  /** Makes a command's run commander's action: flags in, exit code kept. */
  action<Flags extends { readonly json?: boolean }>(run: CommandRun<Flags>): (flags: Flags) => Promise<void>;
}
