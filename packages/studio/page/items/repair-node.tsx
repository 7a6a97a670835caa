import type { CheckAnswer } from '../../api/trust.ts';
import { askStudio, postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

const POLL_MS = 300;

export function RepairNode({ id, onDone }: { id: string; onDone: () => void }) {
  const { isRunning, failure, run } = useDoing();
  const repair = async (): Promise<void> => {
    let { check } = await postTo<CheckAnswer>('/api/repair', { id });
    while (check?.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      check = (await askStudio<CheckAnswer>('/api/check')).check;
    }
    if (check?.error !== undefined) throw check.error;
    onDone();
  };
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => run(repair)}>
        {isRunning ? 'Repairing …' : 'Repair this node'}
      </button>
      <FailureNote failure={failure} />
    </>
  );
}
