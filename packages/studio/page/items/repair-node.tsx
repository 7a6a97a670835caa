import { useEffect, useState } from 'preact/hooks';
import type { CheckAnswer } from '../../api/trust.ts';
import { askStudio, type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

const POLL_MS = 300;
/** How long a repair can be called off after the click. */
const SECONDS_TO_CANCEL = 3;

/** Repairs a node's partition by a check with repair, a moment after the click: until then it can be called off. */
export function RepairNode({ id, onDone }: { id: string; onDone: () => void }) {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [secondsLeft, setSecondsLeft] = useState<number>();
  const repair = async (): Promise<void> => {
    let { check } = await postTo<CheckAnswer>('/api/repair', { scope: { kind: 'node', id } });
    while (check?.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      check = (await askStudio<CheckAnswer>('/api/check')).check;
    }
    if (check?.error !== undefined) throw check.error;
  };
  const run = (): void => {
    setRunning(true);
    setFailure(undefined);
    repair()
      .then(onDone, setFailure)
      .finally(() => setRunning(false));
  };
  useEffect(() => {
    if (secondsLeft === undefined) return;
    const timer = setTimeout(() => {
      setSecondsLeft(secondsLeft > 1 ? secondsLeft - 1 : undefined);
      if (secondsLeft === 1) run();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [secondsLeft]);
  const isWaiting = secondsLeft !== undefined;
  return (
    <>
      <button
        type="button"
        class="repair"
        disabled={isRunning || isWaiting}
        onClick={() => setSecondsLeft(SECONDS_TO_CANCEL)}
      >
        {isRunning ? 'Repairing …' : isWaiting ? `Repairing in ${secondsLeft} s` : 'Repair this node'}
      </button>{' '}
      {isWaiting && (
        <button type="button" onClick={() => setSecondsLeft(undefined)}>
          Cancel
        </button>
      )}
      {failure !== undefined && <FailureNote failure={failure} />}
    </>
  );
}
