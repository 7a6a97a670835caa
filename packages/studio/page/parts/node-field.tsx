import { useState } from 'preact/hooks';
import type { RandomNodesAnswer } from '../../api/live.ts';
import { useAnswer } from '../base/ask.ts';
import { useSuggestions } from './suggestions.tsx';

/** A field for the id of a node of some types, with nodes to choose from as one types. */
export function NodeField({
  name,
  label,
  types,
  id,
}: {
  name: string;
  label: string;
  types: readonly string[];
  /** The id at first. */
  id: string;
}) {
  const type = types[0]!;
  const { answer } = useAnswer<RandomNodesAnswer>('/api/random', { type });
  const [text, setText] = useState('');
  const suggested = useSuggestions(text).suggestions.filter((one) =>
    types.includes(one.id.slice(0, one.id.indexOf('-'))),
  );
  const nodes = suggested.length > 0 ? suggested : (answer?.nodes ?? []);
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
          placeholder={`${type}-…`}
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
