// The process between a broker's Java processes and their owner. `node supervisor.ts <plan.json>`
//
// Owns: the Java processes, state.json, the removal of a temporary data directory.
// Does not own: choosing ports, formatting, readiness (its owner).
//
// Invariants
//   SU1  When the channel to the owner closes, for whatever reason (kill -9 included), everything is stopped.
//   SU2  It leads a process group of its own: Ctrl-C in the owner's terminal reaches neither it nor Java, so the owner can
//        drain while the broker still answers.
//   SU3  It ends only after the last of its children has.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { stateFileOf, writeState } from './broker-state.ts';
import { noteUser } from './artifact-users.ts';
import { identify } from './process-identity.ts';
import {
  type ProcessPlan,
  type SupervisorCommand,
  type SupervisorPlan,
  type SupervisorReport,
} from './supervisor-plan.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SupervisorPlan;
const children = new Map<string, ChildProcess>();
let ending = false;

function report(message: SupervisorReport): void {
  // The owner may die at any time.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function start(name: string): void {
  const wanted = plan.processes.find((each) => each.name === name);
  if (wanted === undefined || children.has(name) || ending) return;
  const output = openSync(wanted.console, 'a');
  const child = spawn(wanted.command, wanted.args, { cwd: wanted.folder, stdio: ['ignore', output, output] });
  closeSync(output);
  children.set(name, child);
  child.on('error', (error) => {
    ended(wanted, error.message, false);
  });
  child.on('exit', (code, signal) => {
    // Java ends with 143 on SIGTERM, after its shutdown hooks. An archive is cut off if its Java was killed.
    ended(wanted, signal ?? `exit code ${code ?? 0}`, code === 0 || code === 143);
  });
  if (child.pid !== undefined && wanted.artifacts !== undefined) noteUser(wanted.artifacts, child.pid);
  if (child.pid !== undefined) report({ kind: 'spawned', name, pid: child.pid });
  saveState();
}

function ended(planned: ProcessPlan, how: string, clean: boolean): void {
  if (!children.delete(planned.name)) return;
  if (clean) keepArchive(planned);
  report({ kind: 'exited', name: planned.name, how });
  if (!ending) saveState();
  else if (children.size === 0) leave();
}

function keepArchive({ archive }: ProcessPlan): void {
  try {
    if (archive !== undefined && existsSync(archive.written)) renameSync(archive.written, archive.kept);
  } catch {
    // Its loss only costs a later start a second; the folder may have been removed with an old version.
  }
}

function saveState(): void {
  const supervisor = identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
  const processes = plan.processes.map(({ name }) => {
    const pid = children.get(name)?.pid;
    return { name, identity: pid === undefined ? undefined : identify(pid) };
  });
  writeState(plan.dataDir, { ...plan.facts, supervisor, processes });
}

function end(): void {
  if (ending) return;
  ending = true;
  if (children.size === 0) leave();
  for (const [name, child] of children) {
    child.kill(firstSignal(name));
    child.kill('SIGCONT'); // a frozen process would not receive it
  }
  setTimeout(() => {
    for (const child of children.values()) child.kill('SIGKILL');
  }, plan.stopWithinMs);
}

/** Data that is deleted anyway needs no clean end, which takes three nodes several seconds; a first class archive does. */
function firstSignal(name: string): NodeJS.Signals {
  const archives = plan.processes.some(
    ({ name: each, archive }) => each === name && archive !== undefined && !existsSync(archive.kept),
  );
  return plan.temporary && !archives ? 'SIGKILL' : 'SIGTERM';
}

function leave(): never {
  rmSync(plan.temporary ? plan.dataDir : stateFileOf(plan.dataDir), { recursive: true, force: true });
  process.exit(0);
}

process.on('message', (command: SupervisorCommand) => {
  if (command.kind === 'start') start(command.name);
  else if (command.kind === 'signal') children.get(command.name)?.kill(command.signal);
  else end();
});
process.on('disconnect', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);

for (const { name } of plan.processes) start(name);
