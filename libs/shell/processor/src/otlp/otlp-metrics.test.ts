import { describe, expect, test } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { otlpRequest } from './otlp-metrics.ts';

const source = {
  resource: { 'service.name': 'shop' },
  version: '1.2.3',
  startedAt: 1_700_000_000_000,
  now: 1_700_000_060_000,
};
const times = { startTimeUnixNano: '1700000000000000000', timeUnixNano: '1700000060000000000' };
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

async function written(registry: Registry): Promise<unknown> {
  return otlpRequest(await registry.getMetricsAsJSON(), source);
}

describe('metrics as OTLP', () => {
  test('[X5] a count is a cumulative sum, what is now a gauge, each with its labels, unit and times', async () => {
    const registry = new Registry();
    new Counter({ name: 'x_total', help: 'counts', labelNames: ['pipeline'], registers: [registry] }).inc(
      { pipeline: 'p' },
      3,
    );
    new Gauge({ name: 'lag_seconds', help: 'is', registers: [registry] }).set(1.5);
    expect(await written(registry)).toEqual({
      resourceMetrics: [
        {
          resource: { attributes: [attribute('service.name', 'shop')] },
          scopeMetrics: [
            {
              scope: { name: 'flatline', version: '1.2.3' },
              metrics: [
                {
                  name: 'x_total',
                  description: 'counts',
                  unit: '1',
                  sum: {
                    aggregationTemporality: 2,
                    isMonotonic: true,
                    dataPoints: [{ ...times, attributes: [attribute('pipeline', 'p')], asDouble: 3 }],
                  },
                },
                {
                  name: 'lag_seconds',
                  description: 'is',
                  unit: 's',
                  gauge: { dataPoints: [{ ...times, attributes: [], asDouble: 1.5 }] },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test('[X5] a histogram counts what lies between two bounds, one count more than bounds', async () => {
    const registry = new Registry();
    const histogram = new Histogram({
      name: 'h_seconds',
      help: 'h',
      labelNames: ['of'],
      buckets: [1, 5],
      registers: [registry],
    });
    for (const value of [0.5, 0.6, 3, 9, 10, 11]) histogram.observe({ of: 'a' }, value);
    histogram.observe({ of: 'b' }, 2);
    expect(await written(registry)).toMatchObject({
      resourceMetrics: [
        {
          scopeMetrics: [
            {
              metrics: [
                {
                  unit: 's',
                  histogram: {
                    aggregationTemporality: 2,
                    dataPoints: [
                      {
                        attributes: [attribute('of', 'a')],
                        count: '6',
                        sum: 34.1,
                        bucketCounts: ['2', '1', '3'],
                        explicitBounds: [1, 5],
                      },
                      { attributes: [attribute('of', 'b')], count: '1', bucketCounts: ['0', '1', '0'] },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test('a metric without samples is not sent', async () => {
    const registry = new Registry();
    registry.registerMetric(new Gauge({ name: 'none', help: 'n', labelNames: ['of'], registers: [] }));
    expect(await written(registry)).toMatchObject({ resourceMetrics: [{ scopeMetrics: [{ metrics: [] }] }] });
  });
});
