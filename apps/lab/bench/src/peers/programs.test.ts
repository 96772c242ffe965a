import { describe, expect, test } from '@jest/globals';
import { lastAnswer, runProgram, startProgram } from './programs.ts';

const node = (source: string): [string, string[]] => [process.execPath, ['--input-type=module', '-e', source]];

describe('an external program', () => {
  test('answers with its last line, whatever it said before', async () => {
    expect(lastAnswer('a warning\n{"records":1}\n')).toEqual({ records: 1 });
    expect(() => lastAnswer('{"records":1}\nan error\n')).toThrow(SyntaxError);
    expect(await runProgram(...node("console.log('a warning\\n[1]')"))).toEqual([1]);
  });

  test('that fails is an error, not an answer', async () => {
    await expect(runProgram(...node('console.log(1); process.exit(3)'))).rejects.toThrow('ended with 3');
    await expect(startProgram(...node('process.exit(4)'))).rejects.toThrow('ended with 4');
  });

  test('that is left running tells each line after its first, and ends when its input does', async () => {
    const lines: string[] = [];
    const source =
      "console.log('{\"ready\":1}'); process.stdin.resume(); process.stdin.on('end', () => console.log('last'))";
    const running = await startProgram(...node(source), (line) => lines.push(line));
    expect(running.first).toEqual({ ready: 1 });
    await running.end();
    expect(lines).toEqual(['last']);
  });

  test('that is killed says no more, and is gone', async () => {
    const lines: string[] = [];
    const source = "console.log('1'); process.stdin.resume(); process.stdin.on('end', () => console.log('last'))";
    const running = await startProgram(...node(source), (line) => lines.push(line));
    await running.kill();
    expect(lines).toEqual([]);
    await expect(running.ended).rejects.toThrow('ended with SIGKILL');
  });
});
