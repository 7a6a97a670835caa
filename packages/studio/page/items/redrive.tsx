import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { RedriveResult } from '../../../../src/trust/repair/redrive.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

export function Redrive({ id, onDone }: { id: string; onDone: () => void }) {
  const [result, setResult] = useState<RedriveResult>();
  const { isRunning, failure, run } = useDoing();
  const redrive = async (): Promise<void> => {
    setResult(await postTo<RedriveResult>('/api/redrive', { id }));
    onDone();
  };
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => run(redrive)}>
        {isRunning ? 'Redriving …' : 'Redrive'}
      </button>
      <FailureNote failure={failure} />
      {result !== undefined && (
        <p role="status">
          {countText(result.entries, 'entry', 'entries')}, {figureText(result.repaired)} repaired,{' '}
          {figureText(result.left)} left
        </p>
      )}
    </>
  );
}
