export { ID_MAX, POLL_MOVES_MIN, POLL_MOVES_PER_FIRE, TimingWheel, type TimingWheelOptions } from './timing-wheel.ts';
