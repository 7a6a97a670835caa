import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { useAnswer } from '../base/ask.ts';
import { useSuggestions } from './suggestions.tsx';

interface ChoiceFieldProps extends JSX.InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  /** Other values can be typed. */
  choices: readonly { value: string; name?: string | null }[];
}

export function ChoiceField({ name, label, choices, ...rest }: ChoiceFieldProps) {
  return (
    <>
      <label>
        {label}
        <input name={name} list={`choices-of-${name}`} autocomplete="off" spellcheck={false} {...rest} />
      </label>
      <datalist id={`choices-of-${name}`}>
        {choices.map(({ value, name: known }) => (
          <option key={value} value={value}>
            {known}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** For the id of a node of some types; suggests nodes as one types. */
export function NodeField({
  id,
  types,
  ...rest
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
    <ChoiceField
      {...rest}
      key={id}
      defaultValue={id}
      required
      choices={nodes.map(({ id: value, name }) => ({ value, name }))}
      onInput={(event) => setText(event.currentTarget.value)}
      placeholder={`${types[0]}-…`}
    />
  );
}
