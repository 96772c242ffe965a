// Jest `globalTeardown: '@flatline/dev-broker/jest-teardown'`: stops what the setup started.
export default async function tearDown() {
  await globalThis[Symbol.for('@flatline/dev-broker')]?.stop();
}
