// Findings of doctor at the processor's HTTP address.
import { messageOf } from '@flatline/base';
import { HttpAsker, readSecretFile } from '@flatline/system';
import { CommandFailure } from '../failure.ts';
import { type Access, type ConfiguredAddress, ProcessorAddress, urlOf } from '../processor-address.ts';
import type { SeenInstance } from './application-look.ts';

export interface Finding {
  readonly what: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly text: string;
}

const ANSWER_MAX_MS = 5_000;
const NONE: Access = { token: undefined, ca: undefined };
const UNTOLD: Finding = {
  what: 'HTTP',
  outcome: 'warning',
  text: 'a processor answers, and says nothing of its warnings without a token: --token-file',
};

/** If a processor runs at the address, it is asked how it is; anything else that listens there is in the way. */
export async function httpFindings(config: ConfiguredAddress, { token, ca: given }: Access = NONE): Promise<Finding[]> {
  const what = 'HTTP';
  const another = 'choose another http.port or --http-port';
  const address = urlOf(config);
  if (config.http.port === 0) return [{ what, outcome: 'ok', text: 'any free port' }];
  try {
    const { caFile } = config.http.protection ?? {};
    const ca = given ?? (caFile === undefined ? undefined : readSecretFile(caFile, new Map()));
    const asker = new HttpAsker(ca === undefined ? {} : { ca });
    const { status, text } = await asker.ask(`${address}/livez`, { withinMs: ANSWER_MAX_MS });
    const isOurs = status === 200 && text.includes('"live"');
    if (!isOurs) return [{ what, outcome: 'wrong', text: `another program answers at ${address}: ${another}` }];
    const answers: Finding = { what, outcome: 'ok', text: `a processor answers at ${address}` };
    const said = await saidBy(new ProcessorAddress(address, asker, token));
    return said === undefined ? [UNTOLD] : [answers, ...said];
  } catch (error) {
    // It answers, and refuses the token of this caller.
    if (error instanceof CommandFailure) return [{ what, outcome: 'wrong', text: error.message }];
    if ((error as { readonly code?: unknown }).code === 'ECONNREFUSED')
      return [{ what, outcome: 'ok', text: `${address} is free` }];
    return [
      { what, outcome: 'wrong', text: `what listens at ${address} does not answer (${messageOf(error)}): ${another}` },
    ];
  }
}

/**
 * Asks the processor there why it is not ready, and for its warnings. undefined: it only says that it is ready, as a processor
 * that requires a token does.
 */
async function saidBy(address: ProcessorAddress): Promise<Finding[] | undefined> {
  type Said = Pick<SeenInstance, 'ready'> & Partial<SeenInstance>;
  const { ready, reasons, warnings } = await address.read<Said>('/readyz', 'ready');
  if (warnings === undefined && ready) return undefined;
  const why = reasons ?? ['is not ready: --token-file has it say why'];
  return [...why, ...(warnings ?? [])].map((text) => ({ what: 'processor', outcome: 'warning', text }));
}
