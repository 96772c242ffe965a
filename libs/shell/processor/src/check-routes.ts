// Checks that the topics exist to which the routes of a pipeline lead, and take what may go there (P3).
import { MESSAGE_BYTES_MAX, Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';

/** @throws Misconfigured: the first output with such a route would stop its partition. */
export function checkRoutes(
  { name, routes = [] }: Pick<PipelineConfig, 'name' | 'routes'>,
  topics: ReadonlyMap<string, Pick<TopicDescription, 'maxMessageBytes'>>,
): void {
  routes.forEach(({ to }, i) => {
    const found = topics.get(to);
    const why =
      found === undefined
        ? 'which does not exist, or may not be described by this user: create it, or take the route out'
        : `whose max.message.bytes is ${found.maxMessageBytes}: a batch of one commit would be refused. Raise it to ${MESSAGE_BYTES_MAX}`;
    if (found === undefined || found.maxMessageBytes < MESSAGE_BYTES_MAX)
      throw new Misconfigured(`pipeline ${name}: routes[${i}] leads to ${to}, ${why}`);
  });
}
