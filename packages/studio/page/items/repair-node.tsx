import type { CheckAnswer } from '../../api/trust.ts';
import { askStudio, postTo, useDoing } from '../base/ask.ts';
import { Countdown } from '../parts/countdown.tsx';
import { FailureNote } from '../parts/told.tsx';

const POLL_MS = 300;

/** Repairs a node's partition by a check with repair, a moment after the click: until then it can be called off. */
export function RepairNode({ id, onDone }: { id: string; onDone: () => void }) {
  const { isRunning, failure, run } = useDoing();
  const repair = async (): Promise<void> => {
    let { check } = await postTo<CheckAnswer>('/api/repair', { scope: { kind: 'node', id } });
    while (check?.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      check = (await askStudio<CheckAnswer>('/api/check')).check;
    }
    if (check?.error !== undefined) throw check.error;
    onDone();
  };
  return (
    <>
      <Countdown text="Repair this node" doing="Repairing" isRunning={isRunning} run={() => run(repair)} />
      <FailureNote failure={failure} />
    </>
  );
}
