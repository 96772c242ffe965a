// One attempt as a process of its own that gets the body on its standard input: for trying out.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import type { Attempt, Delivery, Outcome } from '@flatline/deliveries';
import { spawn } from 'node:child_process';
import { ANSWER_BYTES_MAX, answerText } from './answer-text.ts';
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
    return new Promise((resolve) => {
      const [program, ...args] = command;
      const names = { WEBHOOK_ID: delivery.id, WEBHOOK_TIMESTAMP: String(Math.floor(at / 1_000)) };
      const child = spawn(program!, args, { env: { ...environment(), ...names }, stdio: ['pipe', 'inherit', 'pipe'] });
      const kill = (): void => {
        child.kill('SIGKILL');
      };
      const cancel = clock.after(timeoutMs, kill);
      end.addEventListener('abort', kill);
      const said: Buffer[] = [];
      let length = 0;
      child.stderr.on('data', (chunk: Buffer) => {
        if (length < ANSWER_BYTES_MAX) said.push(chunk);
        length += chunk.length;
      });
      const settle = (outcome: Outcome): void => {
        cancel();
        end.removeEventListener('abort', kill);
        resolve(outcome);
      };
      child.on('error', (error) => {
        settle(failed({ error: messageOf(error) }));
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
