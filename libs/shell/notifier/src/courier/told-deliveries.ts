// Tells an operator of deliveries, once it is committed.
import type { Write } from '@flatline/deliveries';
import type { Carried } from './carried.ts';

type TellingPlace = Pick<Carried, 'log' | 'notified' | 'partition'>;

export function tell(write: Write, { log, notified, partition }: TellingPlace): void {
  const place = { pipeline: notified.pipeline.name, partition };
  if (write.kind === 'giveUp') {
    const { endpoint, id } = write.delivery;
    log.warn('a delivery is given up', {
      ...place,
      endpoint,
      id,
      why: write.why,
      topic: notified.undeliverableTopic,
    });
  }
  if (write.kind !== 'breaker') return;
  const { endpoint, breaker } = write;
  if (breaker.kind === 'disabled')
    log.error('an endpoint is disabled', {
      ...place,
      endpoint,
      why: breaker.why === 'gone' ? 'it answered 410' : 'it has failed for five days',
      remedy: `flatline deliveries enable --endpoint ${endpoint}, then flatline deliveries replay --endpoint ${endpoint}`,
    });
  else if (breaker.kind === 'open' && breaker.opened === 1)
    log.warn('an endpoint fails; its deliveries wait, and it is tried now and then', { ...place, endpoint });
}
