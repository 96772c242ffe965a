import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '@flatline/dev-broker/jest-setup',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  // A broker answers in real time.
  testTimeout: 30_000,
};
