import { useState } from 'preact/hooks';
import type { StoredItem } from '../../api/inspect.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';
import { jsonText } from '../parts/value.tsx';
import { showWritten } from './written.tsx';

type EditedItem = Pick<StoredItem, 'source' | 'target' | 'kind' | 'attributes'>;

export function Editable({ item, onChange }: { item: EditedItem; onChange: () => void }) {
  const [isEdited, setEdited] = useState(false);
  if (!isEdited)
    return (
      <button type="button" onClick={() => setEdited(true)}>
        Edit
      </button>
    );
  const onClose = (written?: WriteAnswer): void => {
    setEdited(false);
    if (written === undefined) return;
    showWritten(written);
    onChange();
  };
  return <Edit item={item} onClose={onClose} />;
}

/** Writes only changed attributes, and only if they are still as shown. */
function Edit({ item, onClose }: { item: EditedItem; onClose: (written?: WriteAnswer) => void }) {
  const before = jsonText(item.attributes, 2);
  const { failure, run } = useDoing();
  const [isSure, setSure] = useState(false);
  const subject = subjectOf(item);
  const postChange = (path: string, body: object): void => {
    run(async () => onClose(await postTo<WriteAnswer>(path, { subject, ...body })));
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
      <FailureNote failure={failure} />
      {isSure && item.source === item.target && (
        <p role="status">Only the node is deleted. Its parts and all of its edges stay.</p>
      )}
      <p class="row">
        <button type="submit">Save</button>
        <button type="button" onClick={() => onClose()}>
          Cancel
        </button>
        {isSure ? (
          <button type="button" class="danger" onClick={() => postChange('/api/delete', {})}>
            Delete it
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

/** An edge with a hashed key has its target in the item. */
function subjectOf({ source, target, kind, attributes }: EditedItem): object {
  if (source === target) return { id: source };
  if (kind === 'part') return { id: source, part: target };
  const dash = target.indexOf('-');
  const end = target[dash + 1] === '#' && attributes['targetId'];
  return { source, type: target.slice(0, dash), target: typeof end === 'string' ? end : target.slice(dash + 1) };
}
