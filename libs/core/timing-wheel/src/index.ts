export { TimingWheel, type TimingWheelOptions } from './timing-wheel.ts';
