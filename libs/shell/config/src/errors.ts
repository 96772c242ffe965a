// For those who only have to tell this error from others, without what reads configurations.
export { ConfigurationError } from './configuration-error.ts';
