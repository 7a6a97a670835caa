import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../api/suggest.ts';
import { addressOf } from '../base/address.ts';
import { askStudio } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';

/** How long one has not typed before nodes are suggested, in milliseconds. */
const PAUSE_MS = 200;
const LEAST_LETTERS = 2;

/** Asks for the id of a node, suggests some as one types, and goes to it. */
export function IdForm({ id, to }: { id: string; to: string }) {
  const [text, setText] = useState('');
  const suggestions = useSuggestions(text);
  const list = useRef<HTMLUListElement>(null);
  return (
    <form
      class="row find"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('id');
        if (typeof given === 'string' && given !== '') goTo(addressOf(to, { id: given }));
      }}
    >
      <label>
        Node id
        <input
          key={id}
          name="id"
          defaultValue={id}
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="an id, or the beginning of a name"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = list.current?.querySelector('a');
            if (event.key !== 'ArrowDown' || first == null) return;
            event.preventDefault();
            first.focus();
          }}
        />
      </label>
      <button type="submit">Go</button>
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Suggestions" ref={list}>
          {suggestions.map((one) => (
            <li key={one.id}>
              <Link to={addressOf(to, { id: one.id })}>
                <bdi class="key">{one.id}</bdi> {one.name !== null && <bdi>{one.name}</bdi>}{' '}
                {one.by !== null && <span class="quiet">{one.by}</span>}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

/** Nodes that a text may be about, once one stops to type. */
export function useSuggestions(text: string): readonly Suggestion[] {
  const [found, setFound] = useState<{ text: string; suggestions: readonly Suggestion[] }>();
  useEffect(() => {
    if (text.length < LEAST_LETTERS) return;
    let isOver = false;
    const timer = setTimeout(() => {
      askStudio<{ suggestions: Suggestion[] }>('/api/suggest', { text }).then(
        ({ suggestions }) => {
          // An answer to fewer letters may come late.
          if (!isOver) setFound({ text, suggestions });
        },
        // Suggestions are a help: the form itself says what is wrong.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  return text.length >= LEAST_LETTERS ? (found?.suggestions ?? []) : [];
}
