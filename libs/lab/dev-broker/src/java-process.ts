import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type JavaRuntime } from './java-runtime.ts';
import { type ProcessPlan } from './supervisor-plan.ts';

export interface JavaProcess {
  readonly name: string;
  /** Working folder; gets `console.log`. */
  readonly folder: string;
  readonly heapMb: number;
  /** True if it will not warm up: the cost of the second compiler never pays off. */
  readonly shortLived: boolean;
  /** System properties, the class path, the main class and its arguments. */
  readonly args: readonly string[];
  /** Folder of the archives of loaded classes, a name for the content, and whether a missing one may be written. */
  readonly archive: { readonly folder: string; readonly of: string; readonly mayWrite: boolean };
}

/**
 * Plans the start of any Java process here.
 *
 * The archive of parsed and linked classes (Java's dynamic class data sharing) takes a start from 1.6 s to 1.0 s. The first process
 * that ends cleanly writes it, which makes that end take two seconds longer, and every later one maps it.
 *
 * `-XX:TieredStopAtLevel=1` takes the cost of three nodes' start and 3 000 writes from 38 s of CPU to 19 s, but leaves a
 * broker several times slower once it is warm: not for one that serves benchmarks.
 */
export function planJava(java: JavaRuntime, process: JavaProcess): ProcessPlan {
  const { name, folder, archive } = process;
  const kept = join(archive.folder, `${archive.of}-${java.fingerprint}.jsa`);
  const written = join(folder, 'classes.jsa');
  const isKept = existsSync(kept);
  const writes = !isKept && archive.mayWrite;
  return {
    name,
    command: java.command,
    args: [
      `-Xmx${process.heapMb}m`,
      '-XX:+ExitOnOutOfMemoryError',
      ...(process.shortLived ? ['-XX:TieredStopAtLevel=1'] : []),
      ...(isKept ? [`-XX:SharedArchiveFile=${kept}`] : []),
      ...(writes ? [`-XX:ArchiveClassesAtExit=${written}`] : []),
      // Writing an archive warns of each class that it leaves out.
      '-Xlog:disable',
      '-Xlog:all=error:stderr',
      '-Djava.awt.headless=true',
      ...process.args,
    ],
    folder,
    console: join(folder, 'console.log'),
    artifacts: archive.folder,
    archive: writes ? { written, kept } : undefined,
  };
}
