// What a supervisor is handed, and what it and its owner tell each other. Types only: importing supervisor.ts would run it.
import { type BrokerFacts } from './broker-state.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** File that gets what the process prints. */
  readonly console: string;
  /** Whose programs it runs: kept for as long as it lives. */
  readonly artifacts?: string | undefined;
  /** A class archive that the process writes when it ends well, and where to move it then. */
  readonly archive?: { readonly written: string; readonly kept: string } | undefined;
}

export interface SupervisorPlan {
  readonly dataDir: string;
  readonly temporary: boolean;
  readonly facts: BrokerFacts;
  readonly processes: readonly ProcessPlan[];
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly stopWithinMs: number;
}

export type SupervisorCommand =
  | { readonly kind: 'start'; readonly name: string }
  | { readonly kind: 'signal'; readonly name: string; readonly signal: NodeJS.Signals }
  | { readonly kind: 'end' };

export type SupervisorReport =
  | { readonly kind: 'spawned'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly how: string };
