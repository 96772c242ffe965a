import { expect, test } from '@jest/globals';
import { FetchProgress } from './fetch-progress.ts';

test('what Maven has fetched is said every five seconds, whatever the pieces that it comes in', () => {
  const said: string[] = [];
  let nowMs = 0;
  const progress = new FetchProgress(
    (line) => said.push(line),
    () => nowMs,
  );
  nowMs = 6_000;
  progress.heard('Downloading from central: https://a/kafka.jar\n');
  expect(said).toEqual([]);
  progress.heard(
    'Downloaded from central: https://a/kafka.jar (9.5 MB at 8 MB/s)\nDownloaded from central: https://a/b.pom (6',
  );
  progress.heard('00 kB at 1.2 MB/s)\nProgress (1): 2.0 MB\n');
  nowMs = 12_000;
  progress.heard('Downloaded from mirror: https://b/c.jar (4.0 MB at 5 MB/s)\n');
  expect(said).toEqual(['fetched so far: 1 files, 10 MB', 'fetched so far: 3 files, 14 MB']);
});
