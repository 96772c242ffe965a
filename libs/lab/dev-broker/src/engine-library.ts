// The parts of testcontainers in use. It is a CommonJS module, whose names a bundler resolves for a static import alone; loading it
// takes a quarter of a second, so this module is imported only where an engine is looked for.
export { GenericContainer, getContainerRuntimeClient, Network, Wait } from 'testcontainers';
