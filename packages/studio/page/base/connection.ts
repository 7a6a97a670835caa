import type { FailureDocument } from '../../../../src/foundation/failure-document.ts';
import type { ConnectionAnswer } from '../../api/model-and-status.ts';
import { useEventValue } from './event-value.ts';
import { tokenHeaders } from './token.ts';

export type Failure = FailureDocument['error'];

export const LOOK_MS = 3_000;
const LONGEST_MS = 10_000;
const CHANGED = 'studio-connection';

/** Undefined while both studio and table answer. */
let lost: Failure | undefined;
let looking: Promise<void> | undefined;

export function isLost(): boolean {
  return lost !== undefined;
}

export function onConnection(listen: () => void): () => void {
  addEventListener(CHANGED, listen);
  return () => removeEventListener(CHANGED, listen);
}

export async function lookAtConnection(): Promise<void> {
  looking ??= look().finally(() => {
    looking = undefined;
  });
  await looking;
}

async function look(): Promise<void> {
  const found = await failureOfConnection();
  if (found?.message === lost?.message) return;
  lost = found;
  dispatchEvent(new Event(CHANGED));
}

async function failureOfConnection(): Promise<Failure | undefined> {
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const response = await fetch('/api/connection', { headers: tokenHeaders(), credentials: 'omit', signal });
    const { answer, error } = (await response.json()) as { answer?: ConnectionAnswer; error?: Failure };
    return error ?? answer?.failure ?? undefined;
  } catch (error) {
    return noAnswer(error);
  }
}

export function noAnswer(error: unknown): Failure {
  return {
    code: 'no-answer',
    message: 'The studio does not answer.',
    hint: `Is edgeloom studio still running? ${error instanceof Error ? error.message : ''}`,
  };
}

export function useLost(): Failure | undefined {
  return useEventValue(() => lost, CHANGED);
}
