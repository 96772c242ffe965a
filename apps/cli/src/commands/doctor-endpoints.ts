// Findings of doctor at the endpoints of the notifier: their hosts, their programs. Nothing is sent.
import { type Clock, messageOf, Misconfigured } from '@flatline/base';
import type { EndpointConfig } from '@flatline/config';
import { lookUpEndpoint, requireReachable } from '@flatline/notifier/reach';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve as resolvePath } from 'node:path';
import type { Finding } from './doctor-http.ts';

export interface EndpointSurroundings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the system's. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export function endpointFindings(
  endpoints: readonly Pick<EndpointConfig, 'name' | 'target' | 'allow'>[],
  surroundings: EndpointSurroundings,
): Promise<readonly Finding[]> {
  return Promise.all(endpoints.map((endpoint) => endpointFinding(endpoint, surroundings)));
}

async function endpointFinding(
  endpoint: Pick<EndpointConfig, 'name' | 'target' | 'allow'>,
  { clock, env, resolve }: EndpointSurroundings,
): Promise<Finding> {
  const { name, target, allow } = endpoint;
  const what = `endpoint ${name}`;
  if ('command' in target) return { what, ...programFound(target.command[0]!, env) };
  const { host, hostname } = new URL(target.url);
  try {
    requireReachable(endpoint);
    await lookUpEndpoint(target.url, allow, { clock, ...(resolve && { resolve }) });
    return { what, outcome: 'ok', text: `${host} has an address that may be reached` };
  } catch (error) {
    const why = messageOf(error);
    if (error instanceof Misconfigured || (error as Error).name === 'Refused')
      return { what, outcome: 'wrong', text: why };
    const text = `${hostname} cannot be looked up here (${why}): correct its url, or run where its name is known`;
    return { what, outcome: 'warning', text };
  }
}

function programFound(program: string, env: EndpointSurroundings['env']): Omit<Finding, 'what'> {
  const places = program.includes('/')
    ? [resolvePath(program)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  const found = places.find(isExecutable);
  if (found !== undefined) return { outcome: 'ok', text: `the program ${found}` };
  const where = program.includes('/') ? 'is none that can be executed' : 'is on no folder of PATH';
  return { outcome: 'wrong', text: `the program ${program} ${where}: install it, or correct its command` };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
