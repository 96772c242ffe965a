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
}

export class CommandSender implements Sender {
  readonly #parts: CommandSenderParts;

  constructor(parts: CommandSenderParts) {
    this.#parts = parts;
  }

  attempt(delivery: Delivery, end: AbortSignal): Promise<Outcome> {
    const { clock, command, timeoutMs, environment } = this.#parts;
    const at = clock.wallMs();
    const beganMs = clock.monotonicMs();
    const failed = (what: Pick<Attempt, 'status' | 'error' | 'answer'>): Outcome => ({
      kind: 'failed',
      attempt: { at, ms: clock.monotonicMs() - beganMs, ...what },
    });
    const [program, ...args] = command;
    const names = { WEBHOOK_ID: delivery.id, WEBHOOK_TIMESTAMP: String(Math.floor(at / 1_000)) };
    let child: ChildProcessByStdio<Writable, null, Readable>;
    try {
      // A group of its own, so that whatever it has begun ends with it.
      const options = { env: { ...environment(), ...names }, detached: true };
      child = spawn(program!, args, { ...options, stdio: ['pipe', 'inherit', 'pipe'] });
    } catch (error) {
      return Promise.resolve(failed({ error: boundedText(messageOf(error)) }));
    }
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        cancel();
        end.removeEventListener('abort', stop);
        resolve(outcome);
      };
      // Without waiting for its end: what has left its group may hold its output for as long as it likes.
      const stop = (): void => {
        killGroup(child.pid);
        child.stderr.destroy();
        settle(failed({ error: `not over within ${timeoutMs} ms` }));
      };
      const cancel = clock.after(timeoutMs, stop);
      end.addEventListener('abort', stop);
      const said: Buffer[] = [];
      let length = 0;
      child.stderr.on('data', (chunk: Buffer) => {
        if (length < ANSWER_BYTES_MAX) said.push(chunk);
        length += chunk.length;
      });
      child.on('error', (error) => {
        settle(failed({ error: boundedText(messageOf(error)) }));
      });
      child.on('close', (code, signal) => {
        if (code === 0) settle({ kind: 'delivered' });
        else if (code !== null) settle(failed({ status: code, answer: answerText(Buffer.concat(said)) }));
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

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
