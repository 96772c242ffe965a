import { describe, expect, test } from '@jest/globals';
import { lastAnswer, versionIn } from './java-program.ts';

describe('a Java program', () => {
  test('answers with its last line, whatever it said before', () => {
    expect(lastAnswer('a warning\n{"records":1}\n')).toEqual({ records: 1 });
    expect(() => lastAnswer('{"records":1}\nan error\n')).toThrow(SyntaxError);
  });

  test('has the version its jar is named by', () => {
    expect(versionIn('kafka-streams-4.1.1.jar', 'kafka-streams')).toBe('4.1.1');
    expect(versionIn('zookeeper-jute-3.9.4.jar', 'zookeeper')).toBeUndefined();
    expect(versionIn('zookeeper-3.9.4.jar', 'zookeeper')).toBe('3.9.4');
  });
});
