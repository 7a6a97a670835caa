import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export function useCopy(): { copy: (text: string) => void; told: ComponentChildren } {
  const [told, setTold] = useState('');
  const copy = (text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setTold('Copied.'),
      // A browser may forbid copying.
      () => setTold("The browser doesn't allow copying. Select the text instead."),
    );
  };
  return { copy, told: <span role="status">{told}</span> };
}
