import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { RedriveResult } from '../../../../src/trust/repair/redrive.ts';
import type { TraceAnswer } from '../../api/trace.ts';
import type { CheckAnswer } from '../../api/trust.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/basics.tsx';

function ActionButton({ name, running, act }: { name: string; running: string; act: () => Promise<void> }) {
  const { isRunning, failure, run } = useDoing();
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => run(act)}>
        {isRunning ? running : name}
      </button>
      <FailureNote failure={failure} />
    </>
  );
}

export function Redrive({ id, onDone }: { id: string; onDone: () => void }) {
  const [result, setResult] = useState<RedriveResult>();
  const redrive = async (): Promise<void> => {
    setResult(await postTo<RedriveResult>('/api/redrive', { id }));
    onDone();
  };
  return (
    <>
      <ActionButton name="Redrive" running="Redriving …" act={redrive} />
      {result !== undefined && (
        <p role="status">
          {countText(result.entries, 'entry', 'entries')}, {figureText(result.repaired)} repaired,{' '}
          {figureText(result.left)} left
        </p>
      )}
    </>
  );
}

export function RepairNode({ id, onDone }: { id: string; onDone: () => void }) {
  const repair = async (): Promise<void> => {
    const { check } = await postTo<CheckAnswer>('/api/repair', { id });
    if (check?.error !== undefined) throw check.error;
    onDone();
  };
  return <ActionButton name="Repair this node" running="Repairing …" act={repair} />;
}

/** `onDone` gets the number of changes seen before the undo. */
export function Undo({ write, onDone }: { write: NonNullable<TraceAnswer['write']>; onDone: (after: number) => void }) {
  const { source, target, rev } = write;
  const undo = async (): Promise<void> => {
    onDone((await postTo<WriteAnswer>('/api/undo', { source, target, rev })).after);
  };
  return <ActionButton name="Undo this write" running="Undoing …" act={undo} />;
}
