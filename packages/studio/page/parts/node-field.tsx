import { useState } from 'preact/hooks';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { useAnswer } from '../base/ask.ts';
import { useSuggestions } from './suggestions.tsx';

export function NodeField({
  name,
  label,
  types,
  id,
}: {
  name: string;
  label: string;
  types: readonly string[];
  id: string;
}) {
  const { answer: sample } = useAnswer<SampleAnswer>('/api/sample');
  const [text, setText] = useState('');
  const suggested = useSuggestions(text).suggestions.filter((one) =>
    types.includes(one.id.slice(0, one.id.indexOf('-'))),
  );
  const nodes = suggested.length > 0 ? suggested : types.flatMap((type) => sample?.nodes[type]?.some ?? []);
  return (
    <>
      <label>
        {label}
        <input
          key={id}
          name={name}
          defaultValue={id}
          required
          autocomplete="off"
          spellcheck={false}
          list={`nodes-for-${name}`}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder={`${types[0]}-…`}
        />
      </label>
      <datalist id={`nodes-for-${name}`}>
        {nodes.map(({ id: one, name: known }) => (
          <option key={one} value={one}>
            {known ?? ''}
          </option>
        ))}
      </datalist>
    </>
  );
}
