// Settings of leases, and the rules that they come to.
import { type LeaseRules, TOKEN_EPOCH_MAX } from '@flatline/kinds/lease';
import { z } from 'zod';
import { heldTimeOf, LIFE_SETTINGS, lifeRules } from '../form/lives.ts';
import { sectionForm } from '../form/section.ts';
import { duration, setting } from '../form/setting.ts';
import type { OwnPart } from '../kind-module.ts';
import type { AnyPipeline } from '../pipeline.ts';

export interface LeasePipeline extends AnyPipeline {
  readonly kind: 'lease';
  readonly rules: LeaseRules;
}

export const leaseSection = sectionForm('lease', {
  ...LIFE_SETTINGS,
  // As in ZooKeeper and etcd: shorter ones cost more than they tell, and what is held for longer is no lease.
  minTimeoutMs: duration.default(1_000),
  maxTimeoutMs: duration.default(86_400_000),
  onConflict: setting(
    z.enum(['reject', 'replace', 'queue']).default('reject'),
    'What becomes of a start while another holds the lease (L4)',
  ),
  maxWaiters: setting(
    z.int().min(1).max(1_024).default(16),
    'Most starts that wait for one lease; fewer, if they and the holder would take more than 64000000 bytes',
    'starts',
  ),
  lockDelayMs: setting(
    z.int().min(0).max(60_000).default(0),
    'How long starts are refused after a lease has expired (L6)',
  ),
  tokenEpoch: setting(
    z.int().min(0).max(TOKEN_EPOCH_MAX).default(0),
    'Raise it when the input is recreated or moved (L3)',
  ),
});

export function leasePart(section: z.output<typeof leaseSection>): OwnPart<LeasePipeline> {
  const { bucketMs, onConflict, maxWaiters, lockDelayMs, tokenEpoch } = section;
  return {
    kind: 'lease',
    rules: { ...lifeRules(section), bucketMs, onConflict, maxWaiters, lockDelayMs, tokenEpoch },
    targets: [],
    heldTime: heldTimeOf(section),
    isPacedTooSlowly: false,
  };
}
