// The invariants of the places for pages against all pages there are: for checks, not for the path of records.

interface Slab {
  /** Number of the size of its places. */
  readonly size: number;
  readonly places: number;
  readonly placeUnits: number;
  readonly firstUnit: number;
  readonly taken: number;
  readonly fresh: number;
  /** Its list. */
  readonly free: readonly number[];
  readonly previous: number;
  readonly next: number;
}

interface Page {
  readonly reference: number;
  readonly slab: number;
  readonly units: number;
  /** Bytes that are others than when it was last written down. */
  readonly unwritten: number;
}

/** All that an arena is, between two of its calls. */
export interface ArenaState {
  readonly slabs: readonly Slab[];
  readonly pages: readonly Page[];
  /** By size, the first slab of its list; and that of the list of empty ones. −1: none. */
  readonly withRoom: readonly number[];
  readonly empty: number;
  readonly takenBytes: number;
  readonly unwrittenBytes: number;
}

const NONE = -1;
const UNIT_BYTES = 8;

/** Empty where all holds. */
export function arenaFaults(state: ArenaState): string[] {
  return [...placeFaults(state), ...listFaults(state), ...sumFaults(state)];
}

/** Each place that was ever handed out is one page's, or free once. */
function placeFaults({ slabs, pages }: ArenaState): string[] {
  const faults: string[] = [];
  const seen = new Set<number>();
  const taken = new Array<number>(slabs.length).fill(0);
  for (const { reference, slab: number, units } of pages) {
    const slab = slabs[number];
    if (slab === undefined || !isPlaceOf(slab, reference) || seen.has(reference) || units > slab.placeUnits)
      faults.push(`PG1: the page at ${reference}, of ${units} units, is in no place of its own`);
    seen.add(reference);
    taken[number]! += 1;
  }
  slabs.forEach((slab, number) => {
    if (slab.taken !== taken[number])
      faults.push(`PG1: slab ${number} counts ${slab.taken} pages, it has ${taken[number]}`);
    for (const place of slab.free) {
      if (!isPlaceOf(slab, place) || seen.has(place))
        faults.push(`PG1: the free place ${place} of slab ${number} is not free`);
      seen.add(place);
    }
    if (slab.taken + slab.free.length !== slab.fresh || slab.fresh > slab.places)
      faults.push(
        `PG1: of ${slab.fresh} places of slab ${number} ${slab.taken} are taken and ${slab.free.length} free`,
      );
  });
  return faults;
}

function isPlaceOf({ firstUnit, placeUnits, fresh }: Slab, reference: number): boolean {
  const place = (reference - firstUnit) / placeUnits;
  return Number.isInteger(place) && place >= 0 && place < fresh;
}

/** Each slab is in the list where it belongs, and in no other. */
function listFaults({ slabs, withRoom, empty }: ArenaState): string[] {
  const faults: string[] = [];
  const listed = new Map<number, string>();
  const walk = (first: number, what: string, visit: (slab: number, previous: number) => void): void => {
    let previous = NONE;
    for (let slab = first; slab !== NONE; previous = slab, slab = slabs[slab]!.next) {
      if (slabs[slab] === undefined || listed.has(slab)) {
        faults.push(`PG2: slab ${slab} comes a second time, in the list ${what}`);
        return;
      }
      listed.set(slab, what);
      visit(slab, previous);
    }
  };
  withRoom.forEach((first, size) => {
    walk(first, `of size ${size}`, (slab, before) => {
      if (slabs[slab]!.previous !== before) faults.push(`PG2: slab ${slab} is not linked to the one before it`);
    });
  });
  walk(empty, 'of empty ones', () => undefined);
  slabs.forEach(({ taken, places, size }, slab) => {
    const wanted = taken === places ? undefined : taken === 0 ? 'of empty ones' : `of size ${size}`;
    if (listed.get(slab) !== wanted)
      faults.push(
        `PG2: slab ${slab}, with ${taken} of ${places} places taken, is in the list ${listed.get(slab) ?? 'of none'}`,
      );
  });
  return faults;
}

function sumFaults({ slabs, pages, takenBytes, unwrittenBytes }: ArenaState): string[] {
  const faults: string[] = [];
  const taken = slabs.reduce((sum, slab) => sum + slab.taken * slab.placeUnits * UNIT_BYTES, 0);
  if (taken !== takenBytes) faults.push(`PG1: places of ${taken} bytes are taken, ${takenBytes} are counted`);
  const unwritten = pages.reduce((sum, page) => sum + page.unwritten, 0);
  if (unwritten !== unwrittenBytes)
    faults.push(`PG1: ${unwritten} bytes of pages are not written, ${unwrittenBytes} are counted`);
  return faults;
}
