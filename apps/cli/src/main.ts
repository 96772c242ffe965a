import { runCli } from './program.ts';
import { stopOnSignals } from './stop.ts';
import { systemClock } from '@flatline/system';

// A reader that goes away (`flatline sessions tail | head`) is an ordinary end, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// A terminal that was closed: SIGHUP asks to stop, and no error can be shown.
process.stderr.on('error', () => undefined);

// The Clock port's timers do not keep the process alive, and a command may wait on nothing else.
const alive = setInterval(() => undefined, 2 ** 30);
const exitCode = await runCli(process.argv.slice(2), {
  clock: systemClock,
  env: process.env,
  folder: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  stop: stopOnSignals(process, systemClock),
  onCrash: (report) => {
    // Unhandled rejections come this way, too. Nothing may go on with the state it was found in.
    process.once('uncaughtException', (error) => process.exit(report(error)));
  },
});
clearInterval(alive);
// What a pipe has not taken yet would end with the process. Connections may linger.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
process.exit(exitCode);
