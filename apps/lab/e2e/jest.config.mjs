import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '<rootDir>/jest.setup.mjs',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  globals: { devBroker: { registry: true } },
  // Real processes die and are replaced in real time; each test states its own limits.
  testTimeout: 300_000,
  maxWorkers: 1,
};
