// The yardstick of look-ups: a GET of Fastify's that answers with an object of the same form, in a process of its own
// (`fork(this)`). It reports its address, then answers `begin` and `cost`.
import Fastify from 'fastify';
import { beginCpu } from '../process-stat.ts';

const server = Fastify();
server.get<{ Params: { key: string } }>('/bare/:key', ({ params }, reply) =>
  reply.send({
    incarnation: '3-1204',
    startedAt: 1_764_312_000_000,
    lastSeenAt: 1_764_312_031_000,
    deadlineAt: 1_764_312_041_000,
    timeoutMs: 10_000,
    eventCount: 32,
    countsByType: { HEARTBEAT: 32 },
    attributes: {},
    key: params.key,
    pipeline: 'visits',
    kind: 'session',
    partition: 3,
    owner: 'a',
    state: 'live',
    asOf: { clock: 1_764_312_031_500, position: 1_236 },
    from: 'owner',
  }),
);
const address = await server.listen({ host: '127.0.0.1', port: 0 });
let cpuMs = beginCpu();
process.on('message', (question: 'begin' | 'cost') => {
  if (question === 'begin') cpuMs = beginCpu();
  process.send!(question === 'begin' ? 0 : cpuMs());
});
process.once('disconnect', () => process.exit(0));
process.send!(address);
