// Prints the help of every command as one page of Markdown, for the site (`npm run site`).
import { systemClock } from '@flatline/system';
import { Writable } from 'node:stream';
import { runCli } from '../program.ts';

/** A line of a list of commands: two spaces, its name, its arguments. */
const LISTED = /^ {2}([a-z][a-z-]*)(?: \[?<?\S+)*(?: {2}|$)/;

const signal = new AbortController().signal;
process.stdout.write('# Commands and exit codes\n\nWhat each command says of itself with `--help`.\n');
await page([]);

/** A command, then those below it. */
async function page(words: readonly string[]): Promise<void> {
  const help = await helpOf(words);
  process.stdout.write(
    `\n## flatline${words.map((word) => ` ${word}`).join('')}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`,
  );
  if (!/^Usage: .*\[command\]/.test(help)) return;
  for (const name of namesIn(help)) await page([...words, name]);
}

function namesIn(help: string): string[] {
  const listed = help.slice(help.indexOf('\nCommands:'), /\n(?:Exit codes|Examples?):/.exec(help)?.index);
  return listed
    .split('\n')
    .flatMap((line) => LISTED.exec(line)?.[1] ?? [])
    .filter((name) => name !== 'help');
}

async function helpOf(words: readonly string[]): Promise<string> {
  let text = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8');
      done();
    },
  });
  const stop = { signal, requested: new Promise<never>(() => undefined) };
  await runCli([...words, '--help'], { clock: systemClock, env: {}, folder: '/', stdout, stderr: stdout, stop });
  return text;
}
