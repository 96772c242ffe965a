/**
 * Versions of the changelog's format that are read and written (K9). Flatline that brings a new one has the former, too:
 * `changelogFormat` says which is written, until no instance is left that reads the former only.
 */
export const CHANGELOG_FORMATS: readonly number[] = [2, 3, 4];
/** The newest: what is written by default. */
export const CHANGELOG_FORMAT = 4;
/** The first in which commits may say the settings by which they were made. */
export const CHANGELOG_FORMAT_WITH_SETTINGS = 3;
/** The first in which sessions may have named sources (S5). */
export const CHANGELOG_FORMAT_WITH_SOURCES = 4;
