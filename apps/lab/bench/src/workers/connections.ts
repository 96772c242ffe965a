// Counts the connections of a process to a broker, by /proc.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';

/** @throws Error if the process has ended, or the system does not tell */
export function connectionsTo(ports: readonly number[], pid: number): number {
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8'));
  const inodes = new Set(tables.flatMap((table) => inodesTo(ports, table)));
  return socketsOf(pid).filter((inode) => inodes.has(inode)).length;
}

/** Sockets of established connections to these ports, of all processes of the machine. @param table `/proc/net/tcp` */
export function inodesTo(ports: readonly number[], table: string): readonly string[] {
  return table.split('\n').flatMap((row) => {
    const [, , remote = '', state, , , , , , inode = ''] = row.trim().split(/\s+/);
    const port = Number.parseInt(remote.slice(remote.lastIndexOf(':') + 1), 16);
    return state === ESTABLISHED && ports.includes(port) ? [inode] : [];
  });
}

function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((file) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${file}`))?.[1] ?? [];
    } catch {
      return []; // closed since
    }
  });
}
