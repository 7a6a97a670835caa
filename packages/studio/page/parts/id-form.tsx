import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { SuggestAnswer, Suggestion } from '../../api/suggest.ts';
import { addressOf } from '../base/address.ts';
import { askStudio, type Failure, postTo } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { Ago } from './ago.tsx';
import { FailureNote } from './told.tsx';

/** How long one has not typed before nodes are suggested, in milliseconds. */
const PAUSE_MS = 200;
const LEAST_LETTERS = 2;
/** Names of types, or of searches, that a sentence lists. */
const MOST_NAMES = 3;

/** Asks for the id of a node, suggests some as one types, and goes to it. */
export function IdForm({ id, to }: { id: string; to: string }) {
  const [text, setText] = useState('');
  const found = useSuggestions(text);
  const { suggestions } = found;
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
      {found.answer !== undefined && (
        <div class="suggestions">
          {suggestions.length > 0 && (
            <ul aria-label="Suggestions" ref={list}>
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
          <LookedAtText found={found} answer={found.answer} isEmpty={suggestions.length === 0} />
        </div>
      )}
    </form>
  );
}

/** The suggestions for a text, and how to look further. */
export interface Suggestions {
  suggestions: readonly Suggestion[];
  /** Undefined: nothing is asked, or the answer has not come. */
  answer?: SuggestAnswer;
  isLooking: boolean;
  failure?: Failure;
  /** Reads the next part of the table. */
  lookOn: () => void;
}

/** Nodes that a text may be about, once one stops to type. */
export function useSuggestions(text: string): Suggestions {
  const [found, setFound] = useState<{ text: string; answer: SuggestAnswer }>();
  const [looks, setLooks] = useState(0);
  const [isLooking, setLooking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    if (text.length < LEAST_LETTERS) return;
    let isOver = false;
    const timer = setTimeout(() => {
      askStudio<SuggestAnswer>('/api/suggest', { text }).then(
        (answer) => {
          // An answer to fewer letters may come late.
          if (!isOver) setFound({ text, answer });
        },
        // Suggestions are a help: the form itself says what is wrong.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, looks]);
  const lookOn = (): void => {
    setLooking(true);
    postTo('/api/sample', {})
      .then(() => {
        setFailure(undefined);
        setLooks((before) => before + 1);
      }, setFailure)
      .finally(() => setLooking(false));
  };
  useEffect(() => {
    if (found?.answer.readsOn === true && found.text === text && !isLooking) lookOn();
  }, [found]);
  const answer = text.length >= LEAST_LETTERS ? found?.answer : undefined;
  const state = { suggestions: answer?.suggestions ?? [], isLooking, lookOn };
  return { ...state, ...(answer !== undefined && { answer }), ...(failure !== undefined && { failure }) };
}

/** Names that are counted where they are many. */
function listText(names: readonly string[], one: string, many?: string): string {
  return names.length > MOST_NAMES ? countText(names.length, one, many) : names.join(', ');
}

/** The places that were looked at for a text, and those that were not. */
export function LookedAtText({
  found,
  answer,
  isEmpty,
}: {
  found: Suggestions;
  answer: SuggestAnswer;
  isEmpty: boolean;
}) {
  const { looked, listed, types, searches, nextRcu } = answer;
  const { isLooking, failure, lookOn } = found;
  const others = [
    ...(listed === null ? [] : [`the list of ${listed} by the beginning of its ids`]),
    ...(types.length === 0 ? [] : [`the whole id in ${listText(types, 'type')}`]),
    ...(searches.length === 0 ? [] : [`names in ${listText(searches, 'search', 'searches')}`]),
  ];
  return (
    <div class="looked quiet">
      <p>
        {isEmpty && (looked.isWhole ? 'Nothing is found. ' : isLooking ? '' : 'Nothing is found so far. ')}
        {looked.isWhole
          ? `Looked at all ${figureText(looked.items)} items`
          : `Looked at ${figureText(looked.items)} of about ${figureText(looked.of)} items`}{' '}
        <Ago at={looked.atMs} />.{others.length > 0 && ` Asked for: ${others.join('; ')}.`}
      </p>
      {!looked.isWhole && (
        <p>
          No index has the beginnings of other ids.{' '}
          <button type="button" class="small" disabled={isLooking} onClick={lookOn}>
            {isLooking ? 'Reading …' : `Read on: ${figureText(nextRcu)} RCU at most`}
          </button>
        </p>
      )}
      {failure !== undefined && <FailureNote failure={failure} />}
    </div>
  );
}
