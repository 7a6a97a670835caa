import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { NodeField } from '../parts/node-field.tsx';
import { FailureNote } from '../parts/told.tsx';
import { showWritten } from './written.tsx';

function CreateForm({
  label,
  button,
  subjectOf,
  onDone,
  children,
}: {
  label: string;
  button: string;
  subjectOf: (form: FormData) => object;
  onDone: () => void;
  children?: ComponentChildren;
}) {
  const { failure, run } = useDoing();
  const create = async (form: FormData): Promise<void> => {
    const json = String(form.get('json'));
    showWritten(await postTo<WriteAnswer>('/api/put', { subject: subjectOf(form), json }));
    onDone();
  };
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        run(() => create(form));
      }}
    >
      {children}
      <label>
        Attributes as JSON
        <textarea name="json" defaultValue="{}" rows={4} spellcheck={false} />
      </label>
      <FailureNote failure={failure} />
      <p class="row">
        <button type="submit">{button}</button>
      </p>
    </form>
  );
}

export function CreateNode({ id, onDone }: { id: string; onDone: () => void }) {
  return <CreateForm label="Create the node" button={`Create ${id}`} subjectOf={() => ({ id })} onDone={onDone} />;
}

export function NewNode({ type = '' }: { type: string | undefined }) {
  return (
    <Opened by="New node">
      {(close) => (
        <CreateForm
          label="New node"
          button="Create node"
          subjectOf={(form) => ({ id: String(form.get('id')) })}
          onDone={close}
        >
          <label>
            Node id
            <input name="id" defaultValue={type && `${type}-`} required autocomplete="off" spellcheck={false} />
          </label>
        </CreateForm>
      )}
    </Opened>
  );
}

export function AddEdge({ model, id, onDone }: { model: ModelAnswer; id: string; onDone: () => void }) {
  const own = id.slice(0, id.indexOf('-'));
  const types = model.edges.filter(({ from }) => from.includes(own));
  const [type, setType] = useState(types[0]?.type ?? '');
  const edge = types.find((one) => one.type === type);
  if (edge === undefined) return null;
  return (
    <Opened by="Add edge">
      {(close) => (
        <CreateForm
          label="Add edge"
          button="Create edge"
          subjectOf={(form) => ({ source: id, type, target: String(form.get('target')) })}
          onDone={() => {
            close();
            onDone();
          }}
        >
          <label>
            Edge type
            <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
              {types.map((one) => (
                <option key={one.type}>{one.type}</option>
              ))}
            </select>
          </label>
          <NodeField name="target" label="Target" types={edge.to} id="" />
          {edge.uses.length > 0 && <p class="quiet">Attributes that the model uses: {edge.uses.join(', ')}.</p>}
        </CreateForm>
      )}
    </Opened>
  );
}

function Opened({ by, children }: { by: string; children: (close: () => void) => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <>{children(() => setOpen(false))}</>;
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        {by}
      </button>
    </p>
  );
}
