// Becoming the owner of a task: fence the former one, then mark in the changelog where its writing ended.
import { failpoint, Retriable } from '@flatline/base';
import { encodeClaim, type TransactionalWriter } from '@flatline/task';
import { Backoff } from './backoff.ts';
import { CLAIM_TRIES_MAX } from './limits.ts';
import type { PipelinePorts, PipelineSettings } from './settings.ts';

export interface Ownership {
  readonly writer: TransactionalWriter;
  /** Changelog offset of one's own claim: everything the former owner committed lies below. */
  readonly claimOffset: number;
}

/**
 * InitProducerId settles what the former owner left open and fences it; the claim is read back to know that the log has
 * been read to its end, which a high watermark would not tell (commit protocol, step 1). @throws as `TransactionalWriter.commit`
 */
export async function claim(partition: number, settings: PipelineSettings, ports: PipelinePorts): Promise<Ownership> {
  const backoff = new Backoff(ports.clock);
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimOnce(partition, settings, ports);
    } catch (error) {
      // A claim carries no state, so one whose outcome is unknown does no harm: the next one comes after it.
      if (!(error instanceof Retriable) || tries === CLAIM_TRIES_MAX) throw error;
      await backoff.pause();
    }
  }
}

async function claimOnce(partition: number, settings: PipelineSettings, ports: PipelinePorts): Promise<Ownership> {
  const writer = await ports.writers.open(settings.transactionalId(partition));
  failpoint('claim.opened');
  const value = encodeClaim({ owner: settings.owner, claimId: ports.entropy.id() });
  try {
    const [offsets] = await writer.commit({
      writes: [{ topic: settings.changelogTopic, partition, records: [{ key: null, value }] }],
      offsets: [],
    });
    failpoint('claim.written');
    return { writer, claimOffset: offsets![0]! };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
