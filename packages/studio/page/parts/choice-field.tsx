import type { JSX } from 'preact';
import type { ValueCount } from '../../base/table-sample.ts';

/** Properties of a field for a text. */
export interface ChoiceFieldProps
  extends Pick<JSX.InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'required' | 'onChange'> {
  name: string;
  label: string;
  /** Values to choose from: others can be typed. */
  choices: readonly Pick<ValueCount, 'value'>[];
}

/** A field for a text, with values to choose from. */
export function ChoiceField({ name, label, choices, ...rest }: ChoiceFieldProps) {
  return (
    <label>
      {label}
      <input name={name} list={`choices-of-${name}`} autocomplete="off" {...rest} />
      <datalist id={`choices-of-${name}`}>
        {choices.map(({ value }) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </label>
  );
}
