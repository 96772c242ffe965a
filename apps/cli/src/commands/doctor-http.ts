// Findings of doctor at the processor's HTTP address.
import { messageOf } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { askProcessor, hostToAsk } from '../processor-address.ts';
import type { SeenInstance } from './application-look.ts';

export interface Finding {
  readonly what: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly text: string;
}

const ANSWER_MAX_MS = 5_000;

/** A running processor holds the address, and is asked how it is; anything else there is in the way. */
export async function httpFindings({ http: { host, port } }: Pick<FlatlineConfig, 'http'>): Promise<Finding[]> {
  const what = 'HTTP';
  const another = 'choose another http.port or --http-port';
  const address = `http://${hostToAsk(host)}:${port}`;
  if (port === 0) return [{ what, outcome: 'ok', text: 'any free port' }];
  try {
    const answer = await fetch(`${address}/livez`, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    const isOurs = answer.ok && (await answer.text()).includes('"live"');
    if (!isOurs) return [{ what, outcome: 'wrong', text: `another program answers at ${address}: ${another}` }];
    return [{ what, outcome: 'ok', text: `a processor answers at ${address}` }, ...(await saidBy(address))];
  } catch (error) {
    if (codeOf(error) === 'ECONNREFUSED') return [{ what, outcome: 'ok', text: `${address} is free` }];
    const why = messageOf((error as Error).cause ?? error);
    return [{ what, outcome: 'wrong', text: `what listens at ${address} does not answer (${why}): ${another}` }];
  }
}

/** Asks the processor there why it is not ready, and for its warnings. */
async function saidBy(address: string): Promise<Finding[]> {
  const { body } = await askProcessor<Pick<SeenInstance, 'reasons' | 'warnings'>>(address, '/readyz');
  return [...body.reasons, ...body.warnings].map((text) => ({ what: 'processor', outcome: 'warning', text }));
}

function codeOf(error: unknown): unknown {
  return ((error as Error).cause as { readonly code?: unknown } | undefined)?.code;
}
