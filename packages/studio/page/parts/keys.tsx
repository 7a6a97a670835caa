import { useEffect, useRef } from 'preact/hooks';
import { Fact } from './value.tsx';

const KEYS: readonly [keys: string, effect: string][] = [
  ['/', 'Find a node, a type, a search or a page'],
  ['Ctrl K', 'Find, and list actions'],
  ['?', 'Show these shortcuts'],
  ['Arrows', 'Move through the results'],
  ['Esc', 'Close'],
];

export function useKey(isMeant: (event: KeyboardEvent, isTyped: boolean) => boolean, act: () => void): void {
  const newest = useRef({ isMeant, act });
  newest.current = { isMeant, act };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyped = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (!newest.current.isMeant(event, isTyped)) return;
      event.preventDefault();
      newest.current.act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

export function showKeys(): void {
  document.querySelector<HTMLDialogElement>('#keys')?.showModal();
}

export function Keys() {
  useKey(({ key }, isTyped) => key === '?' && !isTyped, showKeys);
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl>
        {KEYS.map(([keys, effect]) => (
          <Fact key={keys} name={keys}>
            {effect}
          </Fact>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
