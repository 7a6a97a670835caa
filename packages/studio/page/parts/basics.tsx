import type { ComponentChildren } from 'preact';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { Asked, Failure } from '../base/ask.ts';
import { useLost } from '../base/connection.ts';

export interface PlaceProps {
  model: ModelAnswer;
  parameters: URLSearchParams;
}

export interface NodePartProps {
  model: ModelAnswer;
  id: string;
  parameters: URLSearchParams;
}

export function AnswerOf<T>({ asked, children }: { asked: Asked<T>; children: (answer: T) => ComponentChildren }) {
  if (asked.failure !== undefined) return <FailureNote failure={asked.failure} />;
  if (asked.answer === undefined) return <p class="quiet">{asked.isWaiting ? 'Reading …' : ''}</p>;
  return <>{children(asked.answer)}</>;
}

export function FailureNote({ failure }: { failure: Failure | undefined }) {
  if (failure === undefined) return null;
  const { code, message, hint } = failure;
  return (
    <div class="note" role="alert">
      <p>
        <strong>{message}</strong> <code>{code}</code>
      </p>
      {hint !== '' && <p>{hint}</p>}
    </div>
  );
}

export function Badge({ kind, children }: { kind: 'good' | 'bad' | 'late' | 'plain'; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export function LiveMark({ isLive }: { isLive: boolean }) {
  const isHere = useLost() === undefined;
  return <p class="live">{isLive && isHere && <Badge kind="good">live</Badge>}</p>;
}

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
