// One pipeline and one client of the SDK for each test.
import { connect, type Flatline } from '@flatline/client';
import { killAll } from './child.fixture.ts';
import { PARTITIONS } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

export interface Sdk {
  readonly scenario: Scenario;
  readonly flatline: Flatline;
}

let open: Sdk | undefined;

export async function openSdk(pipeline: object): Promise<Sdk> {
  const scenario = await Scenario.create({ partitions: PARTITIONS, pipeline });
  open = { scenario, flatline: connect({ brokers: scenario.kafka.brokers }) };
  return open;
}

/** For `afterEach`. */
export async function closeSdk(): Promise<void> {
  await open?.flatline.close();
  await killAll();
  await open?.scenario.dispose();
  open = undefined;
}
