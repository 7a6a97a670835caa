import { useState } from 'preact/hooks';
import type { TraceAnswer } from '../../api/trace.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

/** Takes a write back, if its attributes are still as it left them. `onDone` gets the number before the write that does so. */
export function Undo({ write, onDone }: { write: NonNullable<TraceAnswer['write']>; onDone: (after: number) => void }) {
  const [failure, setFailure] = useState<Failure>();
  const { source, target, rev } = write;
  const undo = (): void => {
    postTo<WriteAnswer>('/api/undo', { source, target, rev }).then(({ after }) => onDone(after), setFailure);
  };
  return (
    <>
      <button type="button" onClick={undo}>
        Undo this write
      </button>
      {failure !== undefined && <FailureNote failure={failure} />}
    </>
  );
}
