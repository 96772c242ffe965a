export { builtInReducer, type BuiltInPart, type BuiltIns, leastStateBytes } from './built-ins.ts';
export type { ReducerEvent } from './built-in/reducer-event.ts';
export { isPointer } from './built-in/json-pointer.ts';
export type { Declared, WrittenSchema } from './declared-type.ts';
export {
  defineReducer,
  isReducer,
  type Reducer,
  type ReducerDefinition,
  type ReducerFunctions,
  STATE_BYTES_DEFAULT,
  STATE_BYTES_LIMIT,
} from './reducer.ts';
export { type Caller, type NamedReducer, type ReducerWatch, StateReducer } from './state-reducer.ts';
