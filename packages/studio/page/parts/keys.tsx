import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly [keys: string, effect: string][] = [
  ['/', 'Find a node, a type, a search or a page'],
  ['Ctrl K', 'Find, and list actions'],
  ['?', 'Show these shortcuts'],
  ['Arrows', 'Move through the results'],
  ['Esc', 'Close'],
];

/**
 * Acts on a key anywhere in the page.
 *
 * @param isMeant gets the event, and whether somebody types into a field.
 */
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

/** Shows the keys. */
export function showKeys(): void {
  document.querySelector<HTMLDialogElement>('#keys')?.showModal();
}

/** The keys of the page, in a dialog that `?` opens. */
export function Keys() {
  useKey(({ key }, isTyped) => key === '?' && !isTyped, showKeys);
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl class="facts">
        {KEYS.map(([keys, effect]) => [
          <dt key={keys}>
            <kbd>{keys}</kbd>
          </dt>,
          <dd key={effect}>{effect}</dd>,
        ])}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
