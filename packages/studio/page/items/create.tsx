import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import { NodeField } from '../parts/fields.tsx';
import { JsonForm } from './json-form.tsx';

interface CreateProps {
  label: string;
  button: string;
  /** Names the item by the fields of the form. */
  subjectOf: (form: FormData) => object;
  onDone?: () => void;
  onCancel?: () => void;
  children?: ComponentChildren;
}

function Create({ subjectOf, ...props }: CreateProps) {
  return <JsonForm {...props} onSubmit={(json, form, send) => send('/api/put', { subject: subjectOf(form), json })} />;
}

/** A button that opens the form. */
function CreateLater(props: CreateProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const onDone = (): void => {
    close();
    props.onDone?.();
  };
  if (isOpen) return <Create {...props} onDone={onDone} onCancel={close} />;
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        {props.label}
      </button>
    </p>
  );
}

export function CreateNode({ id, onDone }: { id: string; onDone: () => void }) {
  return <Create label="Create the node" button={`Create ${id}`} subjectOf={() => ({ id })} onDone={onDone} />;
}

export function NewNode({ type = '' }: { type: string | undefined }) {
  return (
    <CreateLater label="New node" button="Create node" subjectOf={(form) => ({ id: String(form.get('id')) })}>
      <label>
        Node id
        <input name="id" defaultValue={type && `${type}-`} required autocomplete="off" spellcheck={false} />
      </label>
    </CreateLater>
  );
}

export function AddEdge({ model, id, onDone }: { model: ModelAnswer; id: string; onDone: () => void }) {
  const own = id.slice(0, id.indexOf('-'));
  const types = model.edges.filter(({ from }) => from.includes(own));
  const [type, setType] = useState(types[0]?.type ?? '');
  const edge = types.find((one) => one.type === type);
  if (edge === undefined) return null;
  return (
    <CreateLater
      label="Add edge"
      button="Create edge"
      subjectOf={(form) => ({ source: id, type, target: String(form.get('target')) })}
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
      <NodeField name="target" label="Target" types={edge.to} id="" />
    </CreateLater>
  );
}
