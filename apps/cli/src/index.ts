// Exports of the package `flatline`: the processor for an application's own service, and types for a configuration.
export {
  type AskedRecord,
  type ConfigurationInput,
  defineConfig,
  defineReducer,
  type Reducer,
  type ReducerDefinition,
  type ReducerEvent,
  type RoutedOutput,
  type RouteFunction,
} from '@flatline/config';
export {
  createProcessor,
  type CreateProcessorOptions,
  type DebounceReducer,
  type EmbeddedProcessor,
  type PartitionReport,
  type ProcessorLog,
  type ProcessorReport,
  type ProcessorState,
  type ReducerItem,
} from '@flatline/processor';
