// Requests to the processor, with the token that was entered.
import { needsToken, token } from './state.ts';

export interface Answered {
  readonly status: number;
  /** JSON. */
  readonly body: unknown;
}

/** @throws where the processor cannot be reached */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== '') headers.set('authorization', `Bearer ${token.value}`);
  const answer = await fetch(path, { ...init, headers });
  if (answer.status === 401) needsToken.value = true;
  return answer;
}

export async function askJson(path: string, init?: RequestInit): Promise<Answered> {
  try {
    const answer = await ask(path, init);
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: { error: 'the processor cannot be reached' } };
  }
}

/** Names and keys of others, as a part of a path. */
export function part(text: string): string {
  return encodeURIComponent(text);
}
