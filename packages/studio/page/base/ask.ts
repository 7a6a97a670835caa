import { isSafeNumber, LosslessNumber, parse } from 'lossless-json';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { UNITS_AT_ONCE } from '../../base/price.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf, type PlaceParameters } from './address.ts';
import { type Failure, isLost, lookAtConnection, noAnswer, onConnection } from './connection.ts';
import { useEventValue } from './event-value.ts';
import { tokenHeaders } from './token.ts';

export interface Units {
  rcu: number;
  wcu: number;
}

export type { Failure };

interface Answered<T> {
  answer: T;
  rcu: number;
}

const total: Units = { rcu: 0, wcu: 0 };
const COUNTED = 'studio-counted';

export function resetUnits(): void {
  Object.assign(total, { rcu: 0, wcu: 0 });
  dispatchEvent(new Event(COUNTED));
}

export function useUnits(): Units {
  return useEventValue(() => ({ ...total }), COUNTED);
}

export async function askStudio<T>(path: string, parameters: PlaceParameters = {}): Promise<Answered<T>> {
  return await fetchAnswer<T>(addressOf(path, parameters), { method: 'GET' });
}

export async function postTo<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return (await fetchAnswer<T>(path, { method: 'POST', headers, body: JSON.stringify(body) })).answer;
}

async function fetchAnswer<T>(address: string, request: RequestInit): Promise<Answered<T>> {
  const headers = { ...request.headers, ...tokenHeaders() };
  let text: string;
  try {
    const response = await fetch(address, { ...request, headers, credentials: 'omit' });
    text = await response.text();
    if (!text.startsWith('{')) throw new TypeError(text);
  } catch (error) {
    throw noAnswer(error);
  }
  const { answer, units, error } = parse(text, undefined, parseNumber) as { answer: T; units?: Units; error?: Failure };
  const { rcu = 0, wcu = 0 } = units ?? {};
  total.rcu += rcu;
  total.wcu += wcu;
  dispatchEvent(new Event(COUNTED));
  if (error !== undefined) throw error;
  return { answer, rcu };
}

function parseNumber(text: string): number | LosslessNumber {
  return isSafeNumber(text) ? Number(text) : new LosslessNumber(text);
}

export interface Asked<T> {
  answer?: T;
  rcu?: number;
  failure?: Failure;
  isWaiting: boolean;
  again(): void;
}

export function useAnswer<T>(path: string | undefined, parameters: PlaceParameters = {}): Asked<T> {
  const question = path === undefined ? undefined : addressOf(path, parameters);
  const [state, setState] = useState<Omit<Asked<T>, 'again'> & { question?: string }>({
    isWaiting: question !== undefined,
  });
  // An action may call an earlier `again` after the question has changed.
  const current = useRef(question);
  current.current = question;
  const newest = useRef(0);
  const isCut = useRef(false);
  const again = useCallback(() => {
    const question = current.current;
    newest.current += 1;
    const own = newest.current;
    if (question === undefined) {
      setState({ isWaiting: false });
      return;
    }
    setState((before) => (before.question === question ? { ...before, isWaiting: true } : { isWaiting: true }));
    isCut.current = false;
    const setResult = (result: Answered<T> | { failure: Failure }): void => {
      // Ignore late answers to earlier questions.
      if (own === newest.current) setState({ question, ...result, isWaiting: false });
    };
    askStudio<T>(question).then(setResult, async (failure: Failure) => {
      await lookAtConnection();
      if (!isLost()) return setResult({ failure });
      if (own !== newest.current) return;
      // The page reports a lost connection itself, so keep earlier answers.
      isCut.current = true;
      setState((before) => ({ ...(before.question === question && before), question, isWaiting: false }));
    });
  }, []);
  useEffect(again, [question]);
  useEffect(
    () =>
      onConnection(() => {
        if (isCut.current && !isLost()) again();
      }),
    [again],
  );
  const isCurrent = state.question === question;
  return { ...(isCurrent && state), isWaiting: !isCurrent || state.isWaiting, again };
}

/** Asks again `afterMs` after each answer while the page is visible. */
export function useAskedLater(
  { again, isWaiting }: Pick<Asked<unknown>, 'again' | 'isWaiting'>,
  afterMs: number | undefined,
): void {
  useEffect(() => {
    if (isWaiting || afterMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, afterMs);
    return () => clearInterval(timer);
  }, [again, isWaiting, afterMs]);
}

const SAMPLE_MS = 15_000;

export function useSample(): Asked<SampleAnswer> {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  useAskedLater(asked, SAMPLE_MS);
  return asked;
}

export const LIVE_MS = 1_000;

/**
 * Asks again each second, or less often to spend at most one RCU per second. Returns false if there is no answer yet,
 * or it costs too much to repeat.
 */
export function useLive(asked: Asked<unknown>): boolean {
  const { answer, rcu = 0, failure } = asked;
  const isLive = answer !== undefined && rcu <= UNITS_AT_ONCE;
  useAskedLater(asked, isLive || failure !== undefined ? Math.max(LIVE_MS, rcu * 1_000) : undefined);
  return isLive;
}

export interface Doing {
  isRunning: boolean;
  failure?: Failure;
  run(action: () => Promise<void>): void;
}

export function useDoing(): Doing {
  const [state, setState] = useState<Omit<Doing, 'run'>>({ isRunning: false });
  const isBusy = useRef(false);
  const run = (action: () => Promise<void>): void => {
    // A second click may come before the button is drawn as disabled.
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ isRunning: true });
    const end = (failure?: Failure): void => {
      isBusy.current = false;
      setState({ isRunning: false, ...(failure && { failure }) });
    };
    action().then(() => end(), end);
  };
  return { ...state, run };
}
