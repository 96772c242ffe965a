import type { StateReducer } from '@flatline/kinds/reducing';
import type { ReducerRules } from '@flatline/oracle';

/** A reducer as the second reading knows it. */
export function rulesOf(reducer: StateReducer): ReducerRules {
  const said = reducer.toJSON() as ReducerRules;
  return reducer.named.builtIn === undefined ? { ...said, functions: () => reducer.named.reducer.definition } : said;
}
