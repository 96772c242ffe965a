import { expect, test } from '@jest/globals';
import { type ReleaseFacts, releaseProblems } from './release-problems.ts';

const facts: ReleaseFacts = {
  version: '0.2.0',
  last: '0.1.3',
  changelog: '# Changelog\n\n## [0.2.0] - 2026-12-01\n',
  apiChanged: true,
  uncommitted: '',
  tags: ['v0.2.0'],
  repository: 'git+https://example.org/flatline.git',
  environment: { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://example.org' },
};

test('what is complete may be published', () => {
  expect(releaseProblems(facts)).toEqual([]);
  expect(releaseProblems({ ...facts, last: undefined })).toEqual([]);
  expect(releaseProblems({ ...facts, version: '1.0.0', changelog: '\n## [1.0.0]', tags: ['v1.0.0'] })).toEqual([]);
});

test.each([
  'git+https://github.com/shop/flatline.git',
  'https://github.com/shop/flatline',
  'git+ssh://git@github.com/shop/flatline.git',
  'git@github.com:shop/flatline.git',
  'github:shop/flatline',
])('a repository of the workflow is the one that package.json names as %s', (repository) => {
  const environment = { ...facts.environment, GITHUB_REPOSITORY: 'shop/flatline' };
  expect(releaseProblems({ ...facts, repository, environment })).toEqual([]);
});

test.each<[Partial<ReleaseFacts>, RegExp]>([
  [{ version: '0.2.0-beta' }, /no x.y.z/],
  [{ last: '0.2.0' }, /not above 0.2.0/],
  [{ last: '0.10.0' }, /not above 0.10.0/],
  [{ last: '0.2.0', version: '0.2.1', apiChanged: true }, /new minor version/],
  [{ changelog: '## [Unreleased]' }, /no section \[0.2.0\]/],
  [{ uncommitted: ' M README.md' }, /README.md/],
  [{ tags: [] }, /git tag v0.2.0/],
  [{ repository: undefined }, /no repository/],
  [{ environment: {} }, /no identity/],
  [
    { environment: { ...facts.environment, GITHUB_REPOSITORY: 'fork/flatline' } },
    /repository https:\/\/example.org\/flatline, and this is https:\/\/github.com\/fork\/flatline/,
  ],
  [
    { environment: { ...facts.environment, CI_PROJECT_URL: 'https://gitlab.com/fork/flatline' } },
    /this is https:\/\/gitlab.com\/fork\/flatline: publish from there, or correct "repository"/,
  ],
])('%p is refused, with the remedy', (changes, problem) => {
  expect(releaseProblems({ ...facts, ...changes }).join('\n')).toMatch(problem);
});
