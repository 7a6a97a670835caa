import type { ComponentChildren } from 'preact';
import type { WriteAnswer } from '../../api/write.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/told.tsx';
import { showWritten } from './written.tsx';

/** Sends a write. */
export type Send = (path: string, body: object) => void;

export interface JsonFormProps {
  label: string;
  button: string;
  text?: string;
  /** Fields before the attributes. */
  children?: ComponentChildren;
  onSubmit: (json: string, form: FormData, send: Send) => void;
  onCancel?: () => void;
  onDone?: () => void;
  more?: (send: Send) => ComponentChildren;
}

/** A base item as JSON. The page of its node shows the write. */
export function JsonForm({ label, button, text = '{}', children, onSubmit, onCancel, onDone, more }: JsonFormProps) {
  const { failure, run } = useDoing();
  const send: Send = (path, body) =>
    run(async () => {
      showWritten(await postTo<WriteAnswer>(path, body));
      onDone?.();
    });
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        onSubmit(String(form.get('json')), form, send);
      }}
    >
      {children}
      <label>
        Attributes as JSON
        <textarea
          name="json"
          defaultValue={text}
          rows={Math.min(20, Math.max(4, text.split('\n').length + 1))}
          spellcheck={false}
        />
      </label>
      <FailureNote failure={failure} />
      <p class="row">
        <button type="submit">{button}</button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        {more?.(send)}
      </p>
    </form>
  );
}
