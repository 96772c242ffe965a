// Pieces that the form of a whole configuration shares with those of the kinds.
export { isReducer } from '@flatline/kinds/reducing';
export { definedReducer } from './reducer.ts';
export { routeFunction } from './routes.ts';
export { ATTRIBUTE_NAMES_BYTES_MAX } from './attributes.ts';
export { secret, type SecretReference, SECRETS_ARE } from './secret.ts';
export { kindlessForm, NAME_LENGTH_MAX } from './section.ts';
export { DURATION_MAX_MS, SETTING_WORDS, unitByName } from './setting.ts';
