export {
  type AskedRecord,
  type RoutedOutput,
  type RouteFunction,
  type RouteInstant,
  type RouteRules,
  type RouteScalar,
  type RouteText,
} from './route.ts';
export { type Routed, type RoutedRecord, type Routing, routingOf } from './routing.ts';
