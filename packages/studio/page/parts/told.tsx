import type { ComponentChildren } from 'preact';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { Asked, Failure } from '../base/ask.ts';
import { useLost } from '../base/connection.ts';
import type { Touches } from '../base/flow.ts';

/** Properties of each place. */
export interface PlaceProps {
  model: ModelAnswer;
  parameters: URLSearchParams;
}

/** Properties of the parts of a node's place. */
export interface NodePartProps {
  model: ModelAnswer;
  id: string;
  parameters: URLSearchParams;
}

/** An answer when it has come, and until then, or where there is none, why. */
export function Told<T>({ asked, children }: { asked: Asked<T>; children: (answer: T) => ComponentChildren }) {
  if (asked.failure !== undefined) return <FailureNote failure={asked.failure} />;
  if (asked.answer === undefined) return <p class="quiet">{asked.isWaiting ? 'Reading …' : ''}</p>;
  return <>{children(asked.answer)}</>;
}

/** An error and its remedy; nothing without one. */
export function FailureNote({ failure }: { failure: Failure | undefined }) {
  if (failure === undefined) return null;
  const { code, message, hint } = failure;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{message}</strong> <code>{code}</code>
      </p>
      {hint !== '' && <p>{hint}</p>}
    </div>
  );
}

/** A state in a word, with its colour; the word says it all. */
export function Badge({ kind, children }: { kind: 'good' | 'bad' | 'late' | 'plain'; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** Tells whether a list moves, and why it does not. */
export function LiveMark({ live: { isLive, failure } }: { live: Touches }) {
  const isHere = useLost() === undefined;
  if (isHere && failure !== undefined) return <p class="quiet">Not live: {failure}</p>;
  return <p class="live">{isLive && isHere && <Badge kind="good">live</Badge>}</p>;
}

/** A part of a place, with its heading. */
export function Card({
  title,
  children,
  wide = false,
}: {
  title: string;
  children: ComponentChildren;
  wide?: boolean;
}) {
  return (
    <section class={wide ? 'card wide' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
