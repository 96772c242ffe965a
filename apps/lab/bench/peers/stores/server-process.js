// A server as the kernel sees it, its processes included: Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the clock that /proc counts in; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process and all that it has started, including those that have ended. */
export function cpuMsOf(pid) {
  const ticks = familyOf(pid).reduce((sum, { own, ended }) => sum + own + ended, 0);
  return (1_000 * ticks) / TICKS_PER_SECOND;
}

/** Bytes of a process and all its children; what they share is counted once. */
export function memoryOf(pid) {
  const kilobytes = familyOf(pid).map(({ pid: member }) => {
    const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, 'utf8'));
    return found === null ? 0 : Number(found[1]);
  });
  return 1_024 * kilobytes.reduce((sum, each) => sum + each, 0);
}

function familyOf(pid) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(processAt);
  const family = all.filter((each) => each.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

function processAt(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return []; // it has just ended; what it took is its parent's
  }
  // The name in parentheses may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
  return [{ pid: Number(pid), parent: Number(fields[1]), own: user + system, ended: endedUser + endedSystem }];
}
