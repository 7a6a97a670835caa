import { useEffect, useState } from 'preact/hooks';
import type { FlowAnswer, Movement, RecentNode } from '../../base/flow.ts';
import { askStudio } from './ask.ts';

/** The changes that were written while one looked. */
export interface LiveFlow {
  hasStream: boolean;
  /** Counts the answers. */
  tick: number;
  /** Changes since the answer before. */
  moved: readonly Movement[];
  /** Records since the answer before, and of derived items, a second. */
  perSecond: number;
  derivedPerSecond: number;
  recent: readonly RecentNode[];
  /** Why the studio could not read the stream; null: it could. */
  failure: string | null;
}

const EVERY_MS = 1_000;
/** After a question without an answer. */
const LATER_MS = 5_000;

/** Follows what is written, while the page is in front; undefined before the first answer. */
export function useFlow(): LiveFlow | undefined {
  const [flow, setFlow] = useState<LiveFlow>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let before: (FlowAnswer & { atMs: number }) | undefined;
    let tick = 0;
    let isOver = false;
    const ask = async (): Promise<number> => {
      if (document.hidden) return EVERY_MS;
      try {
        const parameters = before === undefined ? {} : { after: String(before.seen) };
        const answer = await askStudio<FlowAnswer>('/api/flow', parameters);
        if (isOver) return EVERY_MS;
        const atMs = performance.now();
        const seconds = before === undefined ? 1 : (atMs - before.atMs) / 1_000;
        const { hasStream, moved, recent, failure } = answer;
        tick += 1;
        setFlow({
          ...{ hasStream, tick, moved, recent, failure },
          perSecond: moved.reduce((sum, { count }) => sum + count, 0) / seconds,
          derivedPerSecond: (answer.derived - (before?.derived ?? answer.derived)) / seconds,
        });
        before = { ...answer, atMs };
        return EVERY_MS;
      } catch {
        // The status says what is wrong; the flow comes back when the studio answers again.
        return LATER_MS;
      }
    };
    const askOn = (): void => {
      ask().then((waitMs) => {
        if (!isOver) timer = setTimeout(askOn, waitMs);
      });
    };
    askOn();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return flow;
}
