import type { JSX } from 'preact';

interface TextFieldProps extends JSX.InputHTMLAttributes<HTMLInputElement> {
  label: string;
}

export function TextField({ label, ...rest }: TextFieldProps) {
  return (
    <label>
      {label}
      <input autocomplete="off" spellcheck={false} {...rest} />
    </label>
  );
}

export function NodeField({ types, ...rest }: TextFieldProps & { types: readonly string[] }) {
  return <TextField required placeholder={`${types[0]}-…`} {...rest} />;
}
