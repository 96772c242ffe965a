// One attempt as a process of its own that gets the body on its standard input: for trying out.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import type { Attempt, Delivery, Outcome } from '@flatline/deliveries';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ANSWER_BYTES_MAX, answerText, boundedText } from './answer-text.ts';
import type { Sender } from './sender.ts';

export interface CommandSenderParts {
  readonly clock: Clock;
  /** The program and its arguments: no shell. */
  readonly command: readonly string[];
  readonly timeoutMs: DurationMs;
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  /** Given what an attempt's program has printed, once it is over, whole lines. */
  readonly show: (printed: string) => void;
}

/** A body, and more: of what a program prints beyond, nothing is shown. */
const PRINTED_BYTES_MAX = 1_048_576;

export class CommandSender implements Sender {
  readonly #parts: CommandSenderParts;

  constructor(parts: CommandSenderParts) {
    this.#parts = parts;
  }

  attempt(delivery: Delivery, end: AbortSignal): Promise<Outcome> {
    const { clock, command, timeoutMs, environment, show } = this.#parts;
    const at = clock.wallMs();
    const beganMs = clock.monotonicMs();
    const failed = (what: Pick<Attempt, 'status' | 'error' | 'answer'>): Outcome => ({
      kind: 'failed',
      attempt: { at, ms: clock.monotonicMs() - beganMs, ...what },
    });
    const [program, ...args] = command;
    const names = { WEBHOOK_ID: delivery.id, WEBHOOK_TIMESTAMP: String(Math.floor(at / 1_000)) };
    let child: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      // A group of its own, so that whatever it has begun ends with it.
      const options = { env: { ...environment(), ...names }, detached: true };
      child = spawn(program!, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    } catch (error) {
      return Promise.resolve(failed({ error: boundedText(messageOf(error)) }));
    }
    return new Promise((resolve) => {
      const printed = gathered(child.stdout, PRINTED_BYTES_MAX);
      const said = gathered(child.stderr, ANSWER_BYTES_MAX);
      const settle = (outcome: Outcome): void => {
        cancel();
        const text = printed().toString();
        if (text !== '') show(text.endsWith('\n') ? text : `${text}\n`);
        end.removeEventListener('abort', stop);
        resolve(outcome);
      };
      // Without waiting for its end: what has left its group may hold its output for as long as it likes.
      const stop = (): void => {
        killGroup(child.pid);
        child.stdout.destroy();
        child.stderr.destroy();
        settle(failed({ error: `not over within ${timeoutMs} ms` }));
      };
      const cancel = clock.after(timeoutMs, stop);
      end.addEventListener('abort', stop);
      child.on('error', (error) => {
        settle(failed({ error: boundedText(messageOf(error)) }));
      });
      child.on('close', (code, signal) => {
        if (code === 0) settle({ kind: 'delivered' });
        else if (code !== null) settle(failed({ status: code, answer: answerText(said()) }));
        else settle(failed({ error: `ended by ${signal ?? 'a signal'}` }));
      });
      // A program that does not read its input is told so by its exit code alone.
      child.stdin.on('error', () => undefined);
      child.stdin.end(delivery.body);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Gives what has come so far, about that much of it at most. */
function gathered(stream: Readable, bytesMax: number): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length < bytesMax) chunks.push(chunk);
    length += chunk.length;
  });
  return () => Buffer.concat(chunks);
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
