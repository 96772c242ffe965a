// A page of a partition, by whoever has the partition: a process of this port, else the instance that the group names (one hop).
import { messageOf } from '@flatline/base';
import type { HerePage, PageAsking } from './here-pages.ts';

export interface PageSource {
  /** The rows of the processes behind this port; none: there is no such pipeline, or no process answers. */
  pageHere(asking: PageAsking): Promise<readonly HerePage[]>;
  /** Another instance's. @throws where it does not answer in time */
  pageThere(endpoint: string, group: string, asking: PageAsking): Promise<HerePage>;
  /** This port, as others reach it. */
  readonly endpoint: () => string | undefined;
}

/** undefined: no process of this port knows the pipeline. */
export async function askPage(source: PageSource, asking: PageAsking): Promise<HerePage | undefined> {
  const here = bestOf(await source.pageHere(asking));
  if (here === undefined || here.page.kind === 'found') return here;
  const { group, owner } = here;
  if (owner === undefined || owner.endpoint === '' || owner.endpoint === source.endpoint()) return here;
  try {
    const there = await source.pageThere(owner.endpoint, group, asking);
    return there.page.kind === 'moving' ? here : there;
  } catch (error) {
    const detail = `${owner.endpoint}, which has the partition, does not answer: ${messageOf(error)}`;
    return { ...here, page: { kind: 'moving', detail } };
  }
}

const RANKS = { found: 0, restoring: 1, moving: 2 } as const;

/** The best of what several workers answer. */
export function bestOf(all: readonly HerePage[]): HerePage | undefined {
  return all.toSorted((a, b) => RANKS[a.page.kind] - RANKS[b.page.kind])[0];
}
