import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { RedriveResult } from '../../../../src/trust/repair/redrive.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

/** Redrives quarantined items: those of a node, or all. */
export function Redrive({
  id,
  isEmpty = false,
  onDone,
}: {
  /** The node; undefined: all. */
  id?: string | undefined;
  /** True if nothing is in quarantine. */
  isEmpty?: boolean;
  onDone: () => void;
}) {
  const [result, setResult] = useState<RedriveResult>();
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const run = (): void => {
    setRunning(true);
    setFailure(undefined);
    postTo<RedriveResult>('/api/redrive', { id })
      .then((done) => {
        setResult(done);
        onDone();
      }, setFailure)
      .finally(() => setRunning(false));
  };
  return (
    <>
      <button type="button" disabled={isRunning || isEmpty} onClick={run}>
        {isRunning ? 'Redriving …' : 'Redrive'}
      </button>
      {failure !== undefined && <FailureNote failure={failure} />}
      {result !== undefined && (
        <p role="status">
          {countText(result.entries, 'entry', 'entries')}, {figureText(result.repaired)} repaired,{' '}
          {figureText(result.left)} left
        </p>
      )}
    </>
  );
}
