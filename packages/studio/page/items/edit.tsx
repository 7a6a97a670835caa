import { useState } from 'preact/hooks';
import type { StoredItem } from '../../api/inspect.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';
import { jsonText } from '../parts/value.tsx';

/** Edits a base item as JSON, through the writer: only what was changed is written, and only if it is still as shown. */
export function Edit({ item, onClose }: { item: StoredItem; onClose: (written?: WriteAnswer) => void }) {
  const before = jsonText(item.attributes, 2);
  const [failure, setFailure] = useState<Failure>();
  const [isSure, setSure] = useState(false);
  const subject = subjectOf(item);
  const postChange = (path: string, body: object): void => {
    postTo<WriteAnswer>(path, { subject, ...body }).then(onClose, setFailure);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const after = String(new FormData(event.currentTarget).get('json'));
        postChange('/api/update', { before, after });
      }}
    >
      <label>
        Attributes as JSON
        <textarea
          name="json"
          defaultValue={before}
          rows={Math.min(20, before.split('\n').length + 1)}
          spellcheck={false}
        />
      </label>
      {failure !== undefined && <FailureNote failure={failure} />}
      <p class="row">
        <button type="submit">Save</button>
        <button type="button" onClick={() => onClose()}>
          Cancel
        </button>
        {isSure ? (
          <button type="button" class="danger" onClick={() => postChange('/api/delete', {})}>
            Yes, delete the item
          </button>
        ) : (
          <button type="button" class="danger" onClick={() => setSure(true)}>
            Delete
          </button>
        )}
      </p>
    </form>
  );
}

/** A node is named by its id, an edge by its ends; of one with a hashed key the item itself says which target it has. */
export function subjectOf({
  source,
  target,
  attributes,
}: Pick<StoredItem, 'source' | 'target' | 'attributes'>): object {
  if (source === target) return { id: source };
  const dash = target.indexOf('-');
  const end = target[dash + 1] === '#' && attributes['targetId'];
  return { source, type: target.slice(0, dash), target: typeof end === 'string' ? end : target.slice(dash + 1) };
}
