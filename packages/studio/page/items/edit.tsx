import { useState } from 'preact/hooks';
import type { StoredItem } from '../../api/inspect.ts';
import { jsonText } from '../parts/value.tsx';
import { JsonForm } from './json-form.tsx';

type EditedItem = Pick<StoredItem, 'source' | 'target' | 'kind' | 'attributes'>;

export function Editable({ item, onChange }: { item: EditedItem; onChange: () => void }) {
  const [isEdited, setEdited] = useState(false);
  const onClose = (): void => setEdited(false);
  const onDone = (): void => {
    onClose();
    onChange();
  };
  if (isEdited) return <Edit {...{ item, onClose, onDone }} />;
  return (
    <button type="button" onClick={() => setEdited(true)}>
      Edit
    </button>
  );
}

/** Writes only changed attributes, and only if they are still as shown. */
function Edit({ item, onClose, onDone }: { item: EditedItem; onClose: () => void; onDone: () => void }) {
  const before = jsonText(item.attributes, 2);
  const [isSure, setSure] = useState(false);
  const subject = subjectOf(item);
  return (
    <JsonForm
      label="Edit"
      button="Save"
      text={before}
      onSubmit={(after, _, send) => send('/api/update', { subject, before, after })}
      onCancel={onClose}
      onDone={onDone}
      more={(send) =>
        isSure ? (
          <>
            <button type="button" class="danger" onClick={() => send('/api/delete', { subject })}>
              Delete it
            </button>
            {item.source === item.target && (
              <span role="status">Only the node is deleted. Its parts and all of its edges stay.</span>
            )}
          </>
        ) : (
          <button type="button" class="danger" onClick={() => setSure(true)}>
            Delete
          </button>
        )
      }
    />
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
