import { useEffect, useRef, useState } from 'preact/hooks';
import type { FlowAnswer } from '../../base/flow.ts';
import { type Asked, askStudio, type Failure } from './ask.ts';
import { isLost, onConnection } from './connection.ts';

interface Tick {
  answer: FlowAnswer;
  before: FlowAnswer | undefined;
}

const EVERY_MS = 1_000;
/** After a failure. */
const LATER_MS = 5_000;

/** All parts of the page share the same questions. */
const listeners = new Set<(told: Tick | Failure) => void>();
let last: Tick | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(): Promise<void> {
  let waitMs = EVERY_MS;
  try {
    if (!document.hidden) {
      const answer = await askStudio<FlowAnswer>('/api/flow', { after: last && String(last.answer.seen) });
      last = { answer, before: last?.answer };
      for (const listen of listeners) listen(last);
    }
  } catch (failure) {
    waitMs = LATER_MS;
    for (const listen of listeners) listen(failure as Failure);
  }
  askAfter(waitMs);
}

function askAfter(ms: number): void {
  clearTimeout(timer);
  timer = listeners.size === 0 ? undefined : setTimeout(() => void ask(), ms);
}

onConnection(() => {
  if (!isLost()) askAfter(0);
});

/** Asks as long as somebody listens. Returns how to stop. */
function follow(listen: (told: Tick | Failure) => void): () => void {
  listeners.add(listen);
  if (timer === undefined) askAfter(0);
  return () => {
    listeners.delete(listen);
  };
}

export interface Live {
  isLive: boolean;
  failure?: string | undefined;
}

const STILL: Live = { isLive: false };

/**
 * Asks again after writes to a node, or to nodes of a type (`GOAL-`), while the page is visible. Undefined follows nothing. `isList`: asks
 * once more a second later, when indexes have the change.
 */
export function useLive(of: string | undefined, asked: readonly Asked<unknown>[], isList = false): Live {
  const [state, setState] = useState<{ of?: string; live: Live; count: number }>({ live: STILL, count: 0 });
  useEffect(() => {
    if (of === undefined) return;
    const isOf = (id: string): boolean => (of.endsWith('-') ? id.startsWith(of) : id === of);
    const isIn = ({ changed }: FlowAnswer): boolean => changed === null || changed.some(isOf);
    return follow((told) => {
      if (!('answer' in told)) return setState(({ count }) => ({ of, live: failed(told.message), count }));
      const { answer, before } = told;
      const isTouched = isIn(answer) || (isList && before !== undefined && isIn(before));
      const failure = answer.hasStream ? answer.failure : 'The table has no stream.';
      setState((old) => {
        const isSame =
          old.of === of && old.live.failure === (failure ?? undefined) && old.live.isLive === (failure === null);
        if (isSame && !isTouched) return old;
        return {
          of,
          live: failure === null ? { isLive: true } : failed(failure),
          count: old.count + (isTouched ? 1 : 0),
        };
      });
    });
  }, [of, isList]);
  useAskedAgain(asked, state.count);
  return state.of === of ? state.live : STILL;
}

function failed(failure: string): Live {
  return { isLive: false, failure };
}

/** One question at a time. */
function useAskedAgain(asked: readonly Asked<unknown>[], count: number): void {
  const answered = useRef(0);
  const isWaiting = asked.some((one) => one.isWaiting);
  useEffect(() => {
    if (isWaiting || count === answered.current) return;
    answered.current = count;
    for (const { again } of asked) again();
  }, [isWaiting, count]);
}
