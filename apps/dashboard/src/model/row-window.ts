// Which rows of a long table are drawn: those in sight and some around them, however many there are.

/** As the style has them; pixels. */
export const ROW_PX = 34;
const SEEN_ROWS = 15;
/** Rows above and below those in sight: scrolling meets none that is not drawn. */
const AROUND = 16;
/** Scrolled by less, the same rows stay: each that comes has the whole table laid out. */
const STEP = 8;

export interface RowWindow {
  readonly from: number;
  readonly to: number;
}

/** `topPx`: how far it is scrolled. */
export function rowWindow(topPx: number, count: number): RowWindow {
  const step = Math.floor(topPx / ROW_PX / STEP) * STEP;
  return { from: Math.min(count, Math.max(0, step - AROUND)), to: Math.min(count, step + STEP + SEEN_ROWS + AROUND) };
}
