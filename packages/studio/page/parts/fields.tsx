import type { JSX } from 'preact';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { useAnswer } from '../base/ask.ts';

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

/** For the id of a node of some types. */
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
  const nodes = types.flatMap((type) => sample?.nodes[type]?.some ?? []);
  return (
    <ChoiceField
      {...rest}
      key={id}
      defaultValue={id}
      required
      choices={nodes.map(({ id: value, name }) => ({ value, name }))}
      placeholder={`${types[0]}-…`}
    />
  );
}
