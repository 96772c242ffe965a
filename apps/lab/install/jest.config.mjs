import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '@flatline/dev-broker/jest-setup',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  globals: { devBroker: { registry: true } },
  // npm installs, and sessions of a real broker close in real time.
  testTimeout: 300_000,
  maxWorkers: 1,
};
