import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '@flatline/dev-broker/jest-setup',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  // Real processes die and are replaced in real time; each run bounds its own waiting.
  testTimeout: 600_000,
  maxWorkers: 1,
};
