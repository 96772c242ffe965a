// Maximum length of a world's changelog above its floor (K8). Worlds are so small that a commit weighs as much as all
// live entries, so terms that the rule may neglect in logs of megabytes count here.
import type { CommonRules } from '@flatline/oracle';
import { CHANGELOG_FACTOR } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import type { DecidedCommit } from './decisions.ts';

/** From the commit that is cut as a log becomes too long to the one whose floor has passed the swept entries. */
const COMMITS_OF_A_ROUND = 6;
/** Claims of owners that come and go: they move no floor. */
const CLAIMS_BYTES = 2_000;

export function lengthRules(
  { bounds: { unsweptLogBytes } }: Pick<Scenario, 'bounds'>,
  commits: readonly Pick<DecidedCommit, 'blockBytes'>[],
): Pick<CommonRules, 'changelogFactor' | 'unsweptBytesMax'> {
  const longest = commits.reduce((most, { blockBytes }) => Math.max(most, blockBytes), 0);
  const beside = COMMITS_OF_A_ROUND * longest + CLAIMS_BYTES;
  return { changelogFactor: CHANGELOG_FACTOR, unsweptBytesMax: 2 * unsweptLogBytes + beside };
}
