import { useState } from 'preact/hooks';
import type { TraceAnswer } from '../../api/trace.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';
import { jsonText } from '../parts/value.tsx';
import { subjectOf } from './edit.tsx';

/** Takes a write back, if its attributes are still as it left them. `onDone` gets the number before the write that does so. */
export function Undo({ write, onDone }: { write: NonNullable<TraceAnswer['write']>; onDone: (after: number) => void }) {
  const [failure, setFailure] = useState<Failure>();
  const { source, target, change, changes } = write;
  const json = (side: 'before' | 'after'): string =>
    jsonText(Object.fromEntries(changes.filter((one) => one[side] !== null).map((one) => [one.name, one[side]])));
  const attributes = Object.fromEntries(changes.map(({ name, before, after }) => [name, after ?? before]));
  const subject = subjectOf({ source, target, attributes });
  const undo = (): void => {
    const [path, body] = {
      made: ['/api/delete', {}],
      changed: ['/api/update', { before: json('after'), after: json('before') }],
      deleted: ['/api/put', { json: json('before') }],
    }[change] as [string, object];
    postTo<WriteAnswer>(path, { subject, ...body }).then(({ after }) => onDone(after), setFailure);
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
