/**
 * Versions of the changelog's format that are read and written (K9). Flatline that brings a new one has the former, too:
 * `changelogFormat` says which is written, until no instance is left that reads the former only.
 */
export const CHANGELOG_FORMATS: readonly number[] = [2, 3, 4, 5, 6];
/** The newest: what is written by default. */
export const CHANGELOG_FORMAT = 6;
/** The first in which commits may say the settings by which they were made. */
export const CHANGELOG_FORMAT_WITH_SETTINGS = 3;
/** The first in which sessions may have named sources (S5). */
export const CHANGELOG_FORMAT_WITH_SOURCES = 4;
/** The first in which a key may have several open sessions (C7). */
export const CHANGELOG_FORMAT_WITH_DISORDER = 5;
/** The first in which a session may hold when it was last told of (S11). */
export const CHANGELOG_FORMAT_WITH_UPDATES = 5;
/** The first in which a kind may keep something beside its entries (S12). */
export const CHANGELOG_FORMAT_WITH_KEPT = 5;
/** The first in which a session may hold what its reducer has come to (S10). */
export const CHANGELOG_FORMAT_WITH_REDUCERS = 5;
/** The first in which there may be several inputs, and early data (S8). */
export const CHANGELOG_FORMAT_WITH_INPUTS = 5;
/** The first in which closed sessions may wait for revisions (S9). */
export const CHANGELOG_FORMAT_WITH_REVISIONS = 5;
/** The first in which sketches of durations may be packed (S12). */
export const CHANGELOG_FORMAT_WITH_PACKED_SKETCHES = 6;
