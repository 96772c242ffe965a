import { expect, test } from '@jest/globals';
import { versionIn } from './java-program.ts';

test('a Java program has the version its jar is named by', () => {
  expect(versionIn('kafka-streams-4.1.1.jar', 'kafka-streams')).toBe('4.1.1');
  expect(versionIn('zookeeper-jute-3.9.4.jar', 'zookeeper')).toBeUndefined();
  expect(versionIn('zookeeper-3.9.4.jar', 'zookeeper')).toBe('3.9.4');
});
