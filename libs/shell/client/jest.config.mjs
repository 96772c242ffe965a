import preset from '../../../jest.preset.mjs';

export default {
  ...preset,
  globalSetup: '@flatline/dev-broker/jest-setup',
  globalTeardown: '@flatline/dev-broker/jest-teardown',
  // Sessions of a real broker close in real time.
  testTimeout: 30_000,
};
