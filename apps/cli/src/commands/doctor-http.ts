// Findings of doctor at the processor's HTTP address.
import { messageOf } from '@flatline/base';
import { HttpAsker, readSecretFile } from '@flatline/system';
import { type ConfiguredAddress, ProcessorAddress, urlOf } from '../processor-address.ts';
import type { SeenInstance } from './application-look.ts';

export interface Finding {
  readonly what: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly text: string;
}

const ANSWER_MAX_MS = 5_000;

/** A running processor holds the address, and is asked how it is; anything else there is in the way. */
export async function httpFindings(config: ConfiguredAddress): Promise<Finding[]> {
  const what = 'HTTP';
  const another = 'choose another http.port or --http-port';
  const address = urlOf(config);
  if (config.http.port === 0) return [{ what, outcome: 'ok', text: 'any free port' }];
  try {
    const { caFile } = config.http.protection ?? {};
    const asker = new HttpAsker(caFile === undefined ? {} : { ca: readSecretFile(caFile, new Map()) });
    const { status, text } = await asker.ask(`${address}/livez`, { withinMs: ANSWER_MAX_MS });
    const isOurs = status === 200 && text.includes('"live"');
    if (!isOurs) return [{ what, outcome: 'wrong', text: `another program answers at ${address}: ${another}` }];
    const answers: Finding = { what, outcome: 'ok', text: `a processor answers at ${address}` };
    return [answers, ...(await saidBy(new ProcessorAddress(address, asker)))];
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ECONNREFUSED')
      return [{ what, outcome: 'ok', text: `${address} is free` }];
    return [
      { what, outcome: 'wrong', text: `what listens at ${address} does not answer (${messageOf(error)}): ${another}` },
    ];
  }
}

/** Asks the processor there why it is not ready, and for its warnings; one that asks for a token says no more than whether. */
async function saidBy(address: ProcessorAddress): Promise<Finding[]> {
  const { body } = await address.ask<Pick<SeenInstance, 'ready'> & Partial<SeenInstance>>('/readyz');
  const {
    ready,
    reasons = ready ? [] : ['is not ready: flatline status --token-file … says why'],
    warnings = [],
  } = body;
  return [...reasons, ...warnings].map((text) => ({ what: 'processor', outcome: 'warning', text }));
}
