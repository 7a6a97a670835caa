import { useEffect, useRef, useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import { addressOf } from '../base/address.ts';
import { goTo, Link } from '../base/place.tsx';
import { LookedAtText, useSuggestions } from './suggestions.tsx';

/** Something that the field finds. */
interface Found {
  to: string;
  title: string;
  /** Its name, or where it belongs. */
  note: string | null;
}

/** Places and types that are shown at once; nodes come after them. */
const MOST_OWN = 6;

/** One field for all: nodes by id or name, types, searches and places. `/` or Ctrl-K goes to it. Give it a key that changes with the place. */
export function Find({ model, places }: { model: ModelAnswer | undefined; places: readonly Found[] }) {
  const [text, setText] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const found = useSuggestions(text);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyped = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      const isAsked = (event.key === '/' && !isTyped) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
      if (!isAsked) return;
      event.preventDefault();
      form.current?.querySelector('input')?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const small = text.trim().toLowerCase();
  const own = small === '' ? [] : [...places, ...typesOf(model)].filter(({ title }) => isLike(title, small));
  const all: Found[] = [
    ...found.suggestions.map(({ id, name, by }) => ({
      to: addressOf('/explore', { id }),
      title: id,
      note: name ?? by,
    })),
    ...own.slice(0, MOST_OWN),
  ];
  const leave = (): void => setText('');
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [...form.current!.querySelectorAll<HTMLElement>('input, a, button')];
    const at = stops.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at))]?.focus();
  };
  return (
    <search class="everywhere">
      <form
        ref={form}
        onKeyDown={move}
        onSubmit={(event) => {
          event.preventDefault();
          const id = text.trim();
          if (all.length > 0 || id.includes('-')) goTo(all[0]?.to ?? addressOf('/explore', { id }));
          leave();
        }}
      >
        <input
          type="search"
          aria-label="Find"
          placeholder="Find: id, name, type ( / )"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {(all.length > 0 || found.answer !== undefined) && (
          <div class="suggestions">
            {all.length > 0 && (
              <ul aria-label="Found">
                {all.map(({ to, title, note }) => (
                  <li key={to}>
                    <Link to={to}>
                      <bdi class="key">{title}</bdi> {note !== null && <bdi class="quiet">{note}</bdi>}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
            {found.answer !== undefined && (
              <LookedAtText found={found} answer={found.answer} isEmpty={all.length === 0} />
            )}
          </div>
        )}
      </form>
    </search>
  );
}

/** Tells whether a title has a word that begins with a text. */
function isLike(title: string, small: string): boolean {
  const low = title.toLowerCase();
  return low.startsWith(small) || low.split(/\W/).some((word) => word.startsWith(small));
}

function typesOf(model: ModelAnswer | undefined): Found[] {
  if (model === undefined) return [];
  const nodes = model.nodes.flatMap(({ type, searches }): Found[] => [
    { to: addressOf('/explore', { type }), title: type, note: 'nodes' },
    ...searches.map(({ name }) => ({ to: addressOf('/explore', { search: name }), title: name, note: 'search' })),
  ]);
  const edges = model.edges.map(({ type }) => ({ to: addressOf('/query', { type }), title: type, note: 'edges' }));
  return [...nodes, ...edges];
}
