import { useEffect } from 'preact/hooks';
import { figureText } from '../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../api/model-and-status.ts';
import { useAnswer, useUnits } from './base/ask.ts';
import { LOOK_MS, lookAtConnection, useLost } from './base/connection.ts';
import { Link, usePlace } from './base/place.tsx';
import { AnswerOf, FailureNote } from './parts/basics.tsx';
import { Find } from './parts/find.tsx';
import { Keys, showKeys } from './parts/keys.tsx';
import { NodeView } from './places/node-view.tsx';
import { Overview } from './places/overview.tsx';
import { Query } from './places/query.tsx';
import { Trace } from './places/trace.tsx';
import { Trust } from './places/trust.tsx';

const PLACES = [
  { path: '/', name: 'Overview', Show: Overview },
  { path: '/query', name: 'Query', Show: Query },
  { path: '/trace', name: 'Trace', Show: Trace },
  { path: '/trust', name: 'Trust', Show: Trust },
] as const;

const FOUND_PLACES = PLACES.map(({ path, name }) => ({ to: path, title: name, note: 'place' }));

export function App() {
  const place = usePlace();
  const asked = useAnswer<ModelAnswer>('/api/model');
  const { name, Show } = PLACES.find(({ path }) => path === place.path) ?? PLACES[0];
  const id = place.path === '/node' ? place.parameters.get('id') : null;
  const title = id ?? name;
  useEffect(() => {
    document.title = `${title} – Edgeloom studio`;
  }, [title]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header path={place.path} model={asked.answer} />
      <main id="content" tabIndex={-1}>
        <Connection />
        {id === null && <h1>{name}</h1>}
        <AnswerOf asked={asked}>
          {(model) =>
            id === null ? (
              <Show key={place.path} model={model} parameters={place.parameters} />
            ) : (
              <NodeView key={id} model={model} id={id} parameters={place.parameters} />
            )
          }
        </AnswerOf>
      </main>
      <Footer model={asked.answer} />
      <Keys />
    </>
  );
}

function Connection() {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void lookAtConnection();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const lost = useLost();
  if (lost === undefined) return null;
  return (
    <section aria-label="Connection">
      <FailureNote failure={lost} />
      <p>
        This page shows the last data it received. Retrying every {LOOK_MS / 1_000} s.{' '}
        <button type="button" onClick={() => void lookAtConnection()}>
          Retry
        </button>
      </p>
    </section>
  );
}

function Header({ path, model }: { path: string; model: ModelAnswer | undefined }) {
  return (
    <header>
      <strong>Edgeloom</strong>
      <Find key={path + location.search} model={model} places={FOUND_PLACES} />
      <nav aria-label="Places">
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
        Table <bdi>{model?.table ?? '…'}</bdi> · model <code>{model?.fingerprint ?? '…'}</code> ·{' '}
        {model?.isWritable ? 'read and write' : 'read-only'}
      </span>
      <button type="button" class="small" onClick={showKeys}>
        Shortcuts (?)
      </button>
      <output aria-label="Capacity units used by this page">
        This page used {figureText(rcu)} RCU, {figureText(wcu)} WCU
      </output>
    </footer>
  );
}
