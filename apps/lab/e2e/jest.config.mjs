import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '@flatline/dev-broker/jest-setup',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  globals: { devBroker: { registry: true } },
  // Real processes die and are replaced in real time; each test says for itself what bounds it.
  testTimeout: 300_000,
  maxWorkers: 1,
};
