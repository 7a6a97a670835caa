import { useEffect, useRef, useState } from 'preact/hooks';
import { figureText } from '../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../api/model-and-status.ts';
import { useAnswer, useUnits } from './base/ask.ts';
import { LOOK_MS, lookAtConnection, useLooks, useLost } from './base/connection.ts';
import { Link, usePlace } from './base/place.tsx';
import { Find } from './parts/find.tsx';
import { Keys, showKeys } from './parts/keys.tsx';
import { FailureNote, Told } from './parts/told.tsx';
import { Explore } from './places/explore.tsx';
import { Overview } from './places/overview.tsx';
import { Query } from './places/query.tsx';
import { Timeline } from './places/timeline.tsx';
import { Trace } from './places/trace.tsx';
import { Trust } from './places/trust.tsx';

const PLACES = [
  { path: '/', name: 'Overview', Show: Overview },
  { path: '/explore', name: 'Explore', Show: Explore },
  { path: '/query', name: 'Query', Show: Query },
  { path: '/trace', name: 'Trace', Show: Trace },
  { path: '/timeline', name: 'Timeline', Show: Timeline },
  { path: '/trust', name: 'Trust', Show: Trust },
] as const;

const FOUND_PLACES = PLACES.map(({ path, name }) => ({ to: path, title: name, note: 'place' }));

/** The page: where one is, what it took, and the place itself. */
export function App() {
  const place = usePlace();
  const asked = useAnswer<ModelAnswer>('/api/model');
  const { name, Show } = PLACES.find(({ path }) => path === place.path) ?? PLACES[0];
  // The page of a node leads with the node's name.
  const id = Show === Explore ? place.parameters.get('id') : null;
  const title = id ?? name;
  useEffect(() => {
    document.title = `${title} – Edgeloom studio`;
  }, [title]);
  return (
    <>
      <a class="skip" href="#content">
        To the content
      </a>
      <Header key={place.path} path={place.path} model={asked.answer} />
      <main id="content" tabIndex={-1}>
        <Connection />
        {id === null && <h1>{name}</h1>}
        <Told asked={asked}>{(model) => <Show key={place.path} model={model} parameters={place.parameters} />}</Told>
      </main>
      <Footer model={asked.answer} />
      <Keys />
    </>
  );
}

/** Tells that the studio, or its table, does not answer, and nothing while both do. */
function Connection() {
  useLooks();
  const lost = useLost();
  if (lost === undefined) return null;
  return (
    <section aria-label="Connection">
      <FailureNote failure={lost} />
      <p>
        What is shown is from before. The studio tries again every {LOOK_MS / 1_000} s.{' '}
        <button type="button" onClick={() => void lookAtConnection()}>
          Retry
        </button>
      </p>
    </section>
  );
}

/** The brand, and the ways to all places: behind a button where there is no room for them. It closes where one goes to another place. */
function Header({ path, model }: { path: string; model: ModelAnswer | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setOpen(false);
      menu.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
  return (
    <header class={isOpen ? 'open' : undefined}>
      <strong class="brand">Edgeloom</strong>
      <Find key={location.search} model={model} places={FOUND_PLACES} />
      <button
        type="button"
        class="menu"
        ref={menu}
        aria-expanded={isOpen}
        aria-controls="places"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="places" aria-label="Places">
        {PLACES.map((one) => (
          <Link key={one.path} to={one.path} aria-current={one.path === path ? 'page' : undefined}>
            {one.name}
          </Link>
        ))}
      </nav>
    </header>
  );
}

function Footer({ model }: { model: ModelAnswer | undefined }) {
  const { rcu, wcu } = useUnits();
  return (
    <footer>
      <span>
        table <bdi>{model?.table ?? '…'}</bdi>, model <code>{model?.fingerprint ?? '…'}</code>,{' '}
        {model?.isWritable ? 'may write' : 'only reads'}
      </span>
      <button type="button" class="small" onClick={showKeys}>
        Keys (?)
      </button>
      <output class="units" aria-label="Capacity units used by this page">
        this page took {figureText(rcu)} RCU, {figureText(wcu)} WCU
      </output>
    </footer>
  );
}
