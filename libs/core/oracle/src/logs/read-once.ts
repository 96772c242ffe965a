// Caches the reading of an entry's pages while none of them changes: most commits that name a large state change its head alone.
import { BlockReader } from './block-reader.ts';
import { joined, type LoggedImage } from './changelog-fold.ts';

/** Up to this many pages are read again, as fast as they would be looked up. */
const READ_AGAIN_PAGES = 1;

export class ReadOnce<Body> {
  readonly #bodies = new WeakMap<LoggedImage['pages'], Body>();

  /** `onKept`: told of a body that may be returned again. */
  of(pages: LoggedImage['pages'], read: (bytes: BlockReader) => Body, onKept?: (body: Body) => void): Body {
    const known = this.#bodies.get(pages);
    if (known !== undefined) return known;
    const body = read(new BlockReader(joined(...pages)));
    if (pages.length > READ_AGAIN_PAGES) {
      this.#bodies.set(pages, body);
      onKept?.(body);
    }
    return body;
  }
}
