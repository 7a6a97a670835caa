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

export interface Touches {
  isLive: boolean;
  failure?: string | undefined;
  count: number;
}

const STILL: Touches = { isLive: false, count: 0 };

/**
 * Counts writes to a node, or to nodes of a type (`GOAL-`), while the page is visible. Undefined follows nothing. `isList`: counts each
 * change again a second later, when indexes have it.
 */
export function useTouches(of: string | undefined, isList = false): Touches {
  const [state, setState] = useState<{ of?: string; touches: Touches }>({ touches: STILL });
  useEffect(() => {
    if (of === undefined) return;
    let touches = STILL;
    const isOf = (id: string): boolean => (of.endsWith('-') ? id.startsWith(of) : id === of);
    const isIn = ({ changed }: FlowAnswer): boolean => changed === null || changed.some(isOf);
    return follow((told) => {
      let { count } = touches;
      let failure: string | undefined;
      if ('answer' in told) {
        const { answer, before } = told;
        if (isIn(answer) || (isList && before !== undefined && isIn(before))) count += 1;
        failure = answer.hasStream ? (answer.failure ?? undefined) : 'The table has no stream.';
      } else failure = told.message;
      if (count === touches.count && failure === touches.failure && touches.isLive === (failure === undefined)) return;
      touches = { isLive: failure === undefined, failure, count };
      setState({ of, touches });
    });
  }, [of, isList]);
  return state.of === of ? state.touches : STILL;
}

/** Asks again after writes, one question at a time. */
export function useAskedAgain({ again, isWaiting }: Pick<Asked<unknown>, 'again' | 'isWaiting'>, count: number): void {
  const answered = useRef(0);
  useEffect(() => {
    // Another node starts at 0.
    if (count < answered.current) answered.current = 0;
    if (isWaiting || count === answered.current) return;
    answered.current = count;
    again();
  }, [again, isWaiting, count]);
}
