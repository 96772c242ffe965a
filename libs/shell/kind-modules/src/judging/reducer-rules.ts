// A reducer as the judge knows it: what it says of itself, and the functions of an application, which are data to both.
import type { StateReducer } from '@flatline/kinds/reducing';
import type { ReducerRules } from '@flatline/oracle';

export function reducerRules(reducer: StateReducer): ReducerRules {
  const { builtIn, reducer: of } = reducer.named;
  const said = reducer.toJSON() as ReducerRules;
  return builtIn === undefined ? { ...said, functions: () => of.definition } : said;
}
