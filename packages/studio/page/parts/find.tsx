import { useRef, useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import { addressOf } from '../base/address.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { FailureNote } from './basics.tsx';
import { showKeys, useKey } from './keys.tsx';
import { LookedAtText, useSuggestions } from './suggestions.tsx';

interface Found {
  title: string;
  note: string | null;
  to?: string;
  run?: () => void | Promise<void>;
}

const MOST_OWN = 6;

/** Use the address as `key`, to reset the form on navigation. */
export function Find({ model, places }: { model: ModelAnswer | undefined; places: readonly Found[] }) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const form = useRef<HTMLFormElement>(null);
  const found = useSuggestions(text);
  const focus = (): void => form.current?.querySelector('input')?.focus();
  useKey(({ key }, isTyped) => key === '/' && !isTyped, focus);
  useKey(
    ({ key, ctrlKey, metaKey }) => key === 'k' && (ctrlKey || metaKey),
    () => {
      focus();
      setOpen(true);
    },
  );
  const small = text.trim().toLowerCase();
  const actions = actionsOf(model);
  const own = [...places, ...typesOf(model), ...actions].filter(({ title }) => isLike(title, small));
  const all: Found[] = [
    ...(found.answer?.suggestions ?? []).map(({ id, name, by }) => ({
      to: addressOf('/node', { id }),
      title: id,
      note: name ?? by,
    })),
    ...(small !== '' ? own.slice(0, MOST_OWN) : isOpen ? actions : []),
  ];
  const leave = (): void => {
    setText('');
    setOpen(false);
    setFailure(undefined);
  };
  const take = async ({ to, run }: Found): Promise<void> => {
    try {
      if (to === undefined) await run?.();
      else goTo(to);
      leave();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [...form.current!.querySelectorAll<HTMLElement>('input, a, button')];
    const at = stops.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at))]?.focus();
  };
  return (
    <search>
      <form
        ref={form}
        onKeyDown={move}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget as Node | null)) setOpen(false);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          const id = text.trim();
          const isId = all.length === 0 && id.includes('-');
          const [first] = isId ? [{ title: id, note: null, to: addressOf('/node', { id }) }] : all;
          if (first === undefined) leave();
          else void take(first);
        }}
      >
        <input
          type="search"
          aria-label="Find"
          placeholder="Find an id, name or type (/)"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {(all.length > 0 || found.answer !== undefined) && (
          <div class="suggestions">
            {all.length > 0 && <FoundList all={all} take={(one) => void take(one)} />}
            <FailureNote failure={failure} />
            <LookedAtText found={found} isEmpty={all.length === 0} />
          </div>
        )}
      </form>
    </search>
  );
}

function FoundList({ all, take }: { all: readonly Found[]; take: (one: Found) => void }) {
  return (
    <ul aria-label="Found">
      {all.map((one) => (
        <li key={`${one.to} ${one.title}`}>
          {one.to === undefined ? (
            <button type="button" onClick={() => take(one)}>
              {one.title} <span class="quiet">{one.note}</span>
            </button>
          ) : (
            <Link to={one.to}>
              <bdi class="key">{one.title}</bdi> {one.note !== null && <bdi class="quiet">{one.note}</bdi>}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

function isLike(title: string, small: string): boolean {
  const low = title.toLowerCase();
  return low.startsWith(small) || low.split(/\W/).some((word) => word.startsWith(small));
}

function typesOf(model: ModelAnswer | undefined): Found[] {
  if (model === undefined) return [];
  const nodes = model.nodes.flatMap(({ type, searches }): Found[] => [
    { to: addressOf('/', { picked: `node ${type}` }), title: type, note: 'node type' },
    ...searches.map(({ name }) => ({ to: addressOf('/query', { search: name }), title: name, note: 'search' })),
  ]);
  const edges = model.edges.map(({ type }) => ({ to: addressOf('/query', { type }), title: type, note: 'edges' }));
  return [...nodes, ...edges];
}

function actionsOf(model: ModelAnswer | undefined): Found[] {
  const redrive = async (): Promise<void> => {
    await postTo('/api/redrive', { id: null });
    goTo('/trust');
  };
  return [
    ...(model?.isWritable === true ? [{ title: 'Redrive all quarantined items', note: 'action', run: redrive }] : []),
    { title: 'Check the table (shows the price first)', note: 'action', run: () => goTo('/trust') },
    { title: 'Show keyboard shortcuts', note: 'action', run: showKeys },
  ];
}
