// A supervisor's plan, and the messages between it and its owner. Types only: importing supervisor.ts would run it.
import { type BrokerFacts } from './broker-state.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** File that receives the output of the process. */
  readonly console: string;
  /** Folder of the programs it runs: kept while it lives. */
  readonly artifacts?: string | undefined;
  /** A class archive that the process writes when it ends cleanly, and its final place. */
  readonly archive?: { readonly written: string; readonly kept: string } | undefined;
}

export interface SupervisorPlan {
  readonly dataDir: string;
  readonly temporary: boolean;
  readonly facts: BrokerFacts;
  readonly processes: readonly ProcessPlan[];
  /** Time from SIGTERM to SIGKILL, in milliseconds. */
  readonly stopWithinMs: number;
}

export type SupervisorCommand =
  | { readonly kind: 'start'; readonly name: string }
  | { readonly kind: 'signal'; readonly name: string; readonly signal: NodeJS.Signals }
  | { readonly kind: 'end' };

export type SupervisorReport =
  | { readonly kind: 'spawned'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly how: string };
