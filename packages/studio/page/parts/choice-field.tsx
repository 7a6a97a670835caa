import type { JSX } from 'preact';
import type { ValueCount } from '../../base/table-sample.ts';

export interface ChoiceFieldProps
  extends Pick<JSX.InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'required' | 'onChange'> {
  name: string;
  label: string;
  choices: readonly Pick<ValueCount, 'value'>[];
}

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
