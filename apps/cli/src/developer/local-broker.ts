// The broker of `flatline broker start`, for commands to which none is named.
export { statusDetached } from '@flatline/dev-broker';
