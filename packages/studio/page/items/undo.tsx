import type { TraceAnswer } from '../../api/trace.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

/** `onDone` gets the number before the undoing write. */
export function Undo({ write, onDone }: { write: NonNullable<TraceAnswer['write']>; onDone: (after: number) => void }) {
  const { failure, run } = useDoing();
  const { source, target, rev } = write;
  const undo = async (): Promise<void> => {
    const { after } = await postTo<WriteAnswer>('/api/undo', { source, target, rev });
    onDone(after);
  };
  return (
    <>
      <button type="button" onClick={() => run(undo)}>
        Undo this write
      </button>
      <FailureNote failure={failure} />
    </>
  );
}
