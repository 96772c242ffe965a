// What is used of testcontainers. It is a CommonJS module, whose names a bundler gives to a static import alone; loading it takes
// a quarter of a second, so that this module is imported where an engine is looked for.
export { GenericContainer, getContainerRuntimeClient, Network, Wait } from 'testcontainers';
