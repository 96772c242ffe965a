// Costs of deliveries beside the least that they may cost, of deliveries that wait, and of a route.
import { framed, type Ground, over } from '../frame/frame.ts';
import { short } from '../text-table.ts';
import { type DeliveryTurn, measureDeliveries } from './delivered.ts';
import { type BesidesPosts, deliveriesPage, deliveryRows, pendingFigures, routeFigures } from './deliveries-page.ts';
import { measurePending } from './pending.ts';
import { measureRoutes, type RouteTurn } from './route-cost.ts';

/** `events`: deliveries of a turn, and closes. `sessions`: retries that wait. */
const DEFAULTS = { events: 100_000, sessions: 1_000_000, warmUpShare: 0.2, atOnce: 64, partitions: 4, repeats: 3 };

interface Measured extends BesidesPosts {
  readonly turns: readonly DeliveryTurn[];
  readonly routeTurns: readonly RouteTurn[];
}

export const deliveries = framed({
  name: 'deliveries',
  description:
    'deliveries per CPU second beside a bare loop of requests; bytes and restart of retries that wait; what a route costs',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ events, atOnce, partitions, warmUpShare }) =>
    `${short(events)} outputs of ${partitions} partitions, all there at the start, the first ${100 * warmUpShare} % not counted; ${atOnce} requests under way`,
  measure: async (ground: Ground<typeof DEFAULTS>): Promise<Measured> => {
    const turns = await measureDeliveries(ground);
    const routeTurns = await measureRoutes(ground);
    const pending = pendingFigures(await measurePending(ground));
    return { turns, routeTurns, pending, route: routeFigures(routeTurns) };
  },
  report: ({ turns, pending, route }) => ({ rows: deliveryRows(turns), page: deliveriesPage({ pending, route }) }),
});
