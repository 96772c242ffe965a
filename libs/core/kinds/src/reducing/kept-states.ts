// Checks, when a task begins and before any record, that the reducer configured now can read the states that are kept (S10).
import type { KeptEntries } from '../contract.ts';
import type { EntryWindow } from '../entry-window.ts';
import type { BytesSpan } from '../state-bytes.ts';
import { declaredType } from './declared-type.ts';
import { fingerprintIn, type StateReducer } from './state-reducer.ts';

/** Returns why not, beginning with the field; undefined: all of them can. `statesOf`: those that an entry keeps. */
export function whyUnreadable<Entry extends EntryWindow>(
  reducer: StateReducer,
  { settings, forEach }: KeptEntries<Entry>,
  statesOf: (entry: Entry) => readonly BytesSpan[],
): string | undefined {
  const former = formerStates(settings);
  const isOurs = former.every((schema) => JSON.stringify(schema) === reducer.state.text);
  // States may be left of settings before those that are known.
  if (isOurs && settings[0]?.sequence === 0) return undefined;
  const wanted = new Set<number>();
  forEach((entry) => {
    for (const state of statesOf(entry)) {
      const fingerprint = fingerprintIn(state);
      if (!reducer.knows(fingerprint)) wanted.add(fingerprint);
    }
  });
  for (const schema of former) {
    const why = wanted.delete(declaredType(schema).fingerprint) ? reducer.learn(schema) : undefined;
    if (why !== undefined) return why;
  }
  if (wanted.size === 0) return undefined;
  return 'some states are of a schema that the changelog no longer has: let what keeps them end with the reducer that made them';
}

/** Schemas of states, of the settings that had a reducer. */
function formerStates(settings: KeptEntries['settings']): readonly unknown[] {
  return settings.flatMap(({ text }) => {
    const { reducer, reduced } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const said = [reducer, reduced].find((each) => typeof each === 'object' && each !== null);
    return said === undefined ? [] : [(said as { readonly state: unknown }).state];
  });
}
