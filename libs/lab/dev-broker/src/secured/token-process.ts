import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessPlan } from '../supervisor-plan.ts';
import type { SecuredFiles } from './secured-files.ts';

/** Plans token-endpoint.ts as a process of the broker, with the same lifetime. */
export function planTokenEndpoint({ folder }: SecuredFiles, port: number): ProcessPlan {
  const source = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(source ? './token-endpoint.ts' : './token-endpoint.js', import.meta.url));
  // Unbuilt, packages of the workspace are found in their sources.
  const flags = source ? ['--conditions=@flatline/source', '--disable-warning=ExperimentalWarning'] : [];
  const args = [...flags, script, String(port), folder];
  return { name: 'tokens', command: process.execPath, args, folder, console: join(folder, 'tokens.log') };
}
