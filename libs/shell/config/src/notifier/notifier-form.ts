// Form of the section `notifier`: outputs to webhooks (N1–N6).
import { secret } from '@flatline/kind-modules/form';
import { z } from 'zod';

/** It is part of the keys under which deliveries are kept, and of no topic. */
const endpointName = z
  .string()
  .max(80)
  .regex(/^[A-Za-z0-9_-]+$/, 'letters, digits, "_" and "-"');

const endpoint = z.strictObject({
  name: endpointName,
  url: z.url({ protocol: /^https?$/, error: 'a URL: https://host/path' }).optional(),
  command: z.array(z.string().min(1)).min(1).optional(),
  pipelines: z.array(z.string().min(1)).min(1).optional(),
  on: z.array(z.string().min(1)).min(1).optional(),
  secrets: z.array(secret).max(8).default([]),
  order: z.enum(['none', 'key']).default('none'),
  supersede: z.boolean().default(false),
  timeoutMs: z.int().min(100).max(120_000).default(15_000),
  maxInFlight: z.int().min(1).max(1_000).default(8),
  maxPerSecond: z.int().min(1).max(100_000).optional(),
  allow: z.array(z.string().min(1)).default([]),
});

export const notifierForm = z.strictObject({
  endpoints: z.array(endpoint).min(1),
  startFrom: z.enum(['earliest', 'latest']).default('earliest'),
});

export type NotifierSection = z.output<typeof notifierForm>;
export type EndpointSection = NotifierSection['endpoints'][number];
