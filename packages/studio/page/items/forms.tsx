import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { StoredItem } from '../../api/inspect.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { typeOf } from '../../base/type-of.ts';
import { addressOf } from '../base/address.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { FailureNote } from '../parts/basics.tsx';
import { NodeField, TextField } from '../parts/fields.tsx';
import { jsonText } from '../parts/value.tsx';
import { showWritten } from './written.tsx';

interface JsonFormProps {
  label: string;
  button: string;
  isOpen?: boolean;
  text?: string;
  children?: ComponentChildren;
  /** `before` is the text that the form opened with. */
  requestOf: (json: string, form: FormData, before: string) => [path: string, body: object];
  onDone: () => void;
}

function JsonForm({ label, button, isOpen = false, text = '{}', children, requestOf, onDone }: JsonFormProps) {
  const [before, setBefore] = useState(isOpen ? text : undefined);
  const { failure, run } = useDoing();
  const close = (): void => setBefore(undefined);
  if (before === undefined) {
    return (
      <p>
        <button type="button" onClick={() => setBefore(text)}>
          {label}
        </button>
      </p>
    );
  }
  const submit = async (form: FormData): Promise<void> => {
    showWritten(await postTo<WriteAnswer>(...requestOf(String(form.get('json')), form, before)));
    if (!isOpen) close();
    onDone();
  };
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        run(() => submit(form));
      }}
    >
      {children}
      <label>
        Attributes as JSON
        <textarea
          name="json"
          defaultValue={before}
          rows={Math.min(20, Math.max(4, before.split('\n').length + 1))}
          spellcheck={false}
        />
      </label>
      <FailureNote failure={failure} />
      <p class="row">
        <button type="submit">{button}</button>
        {!isOpen && (
          <button type="button" onClick={close}>
            Cancel
          </button>
        )}
      </p>
    </form>
  );
}

/** Writes only the changed attributes, and only if they still have the values shown. */
export function Edit({
  item,
  onDone,
}: {
  item: Pick<StoredItem, 'source' | 'target' | 'attributes'>;
  onDone: () => void;
}) {
  const { source, target, attributes } = item;
  return (
    <JsonForm
      label="Edit"
      button="Save"
      text={jsonText(attributes, 2)}
      requestOf={(after, _, before) => ['/api/update', { source, target, before, after }]}
      onDone={onDone}
    />
  );
}

export function CreateNode({ id, onDone }: { id: string; onDone: () => void }) {
  return (
    <JsonForm
      label="Create the node"
      button={`Create ${id}`}
      isOpen
      requestOf={(json) => ['/api/put', { subject: { id }, json }]}
      onDone={onDone}
    />
  );
}

export function NewNode({ type = '' }: { type: string | undefined }) {
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(addressOf('/node', { id: String(new FormData(event.currentTarget).get('id')) }));
      }}
    >
      <TextField name="id" label="Id of a new node" defaultValue={type && `${type}-`} required />
      <button type="submit" class="plain">
        New node
      </button>
    </form>
  );
}

export function AddEdge({ model, id, onDone }: { model: ModelAnswer; id: string; onDone: () => void }) {
  const types = model.edges.filter(({ from }) => from.includes(typeOf(id)));
  const [type, setType] = useState(types[0]?.type ?? '');
  const edge = types.find((one) => one.type === type);
  if (edge === undefined) return null;
  return (
    <JsonForm
      label="Add edge"
      button="Create edge"
      requestOf={(json, form) => ['/api/put', { subject: { source: id, type, target: form.get('target') }, json }]}
      onDone={onDone}
    >
      <label>
        Edge type
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {types.map((one) => (
            <option key={one.type}>{one.type}</option>
          ))}
        </select>
      </label>
      <NodeField name="target" label="Target" types={edge.to} />
    </JsonForm>
  );
}
