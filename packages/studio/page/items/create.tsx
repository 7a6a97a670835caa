import { useState } from 'preact/hooks';
import type { WriteAnswer } from '../../api/write.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';

/** Creates a node that is not there, from JSON, through the writer. */
export function Create({ id, onDone }: { id: string; onDone: () => void }) {
  const [failure, setFailure] = useState<Failure>();
  return (
    <form
      aria-label="Create the node"
      onSubmit={(event) => {
        event.preventDefault();
        const json = String(new FormData(event.currentTarget).get('json'));
        setFailure(undefined);
        postTo<WriteAnswer>('/api/put', { subject: { id }, json }).then(onDone, setFailure);
      }}
    >
      <label>
        Attributes as JSON
        <textarea name="json" defaultValue="{}" rows={4} spellcheck={false} />
      </label>
      {failure !== undefined && <FailureNote failure={failure} />}
      <p class="row">
        <button type="submit">Create {id}</button>
      </p>
    </form>
  );
}
