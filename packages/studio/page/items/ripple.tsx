import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { AttributeChange, DerivedStep, TraceAnswer, TraceStep } from '../../api/trace.ts';
import { type Asked, useAnswer, useAskedLater } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { Badge, FailureNote } from '../parts/basics.tsx';
import { Fact, Value } from '../parts/value.tsx';
import { Undo } from './buttons.tsx';

/** Selects the write with this `rev`, else the first one after `after` changes, else the newest. */
export interface WriteOf {
  source: string;
  target: string;
  rev?: string | undefined;
  after?: number | undefined;
}

/** Polls are slower if another process projects the write. */
const SOON_MS = 300;
const LATER_MS = 1_500;
const CHANGE_KINDS = { created: 'good', changed: 'plain', deleted: 'late' } as const;

function useTrace({ after, ...write }: WriteOf): Asked<TraceAnswer> {
  const asked = useAnswer<TraceAnswer>('/api/trace', { ...write, after: after?.toString() });
  const { answer: trace } = asked;
  const isOver = trace === undefined || (trace.write !== null && trace.isProjected === true);
  useAskedLater(asked, isOver ? undefined : trace.lag === null ? SOON_MS : LATER_MS);
  return asked;
}

export function Ripple({
  write: asked,
  onProjected,
  onUndone,
}: {
  write: WriteOf;
  onProjected?: (() => void) | undefined;
  onUndone?: ((after: number) => void) | undefined;
}) {
  const { answer: trace, failure } = useTrace(asked);
  const isProjected = trace?.isProjected === true;
  useEffect(() => {
    if (isProjected) onProjected?.();
  }, [isProjected]);
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (trace === undefined) return <p class="quiet">Reading …</p>;
  const { write, batch, derived, lag } = trace;
  if (write === null) {
    const reason =
      asked.after === undefined
        ? 'The studio does not have this write. Change the item to follow a new one.'
        : 'Waiting for the stream record.';
    return <p class="quiet">{reason}</p>;
  }
  return (
    <>
      {isProjected && <Bill trace={trace} />}
      <ol class="ripple" aria-label="Path of the write">
        <Station at={0} title="Base write">
          <ItemKey step={write} /> <Units of={write} />
          <Changes changes={write.changes} />
          {onUndone && <Undo write={write} onDone={onUndone} />}
        </Station>
        <Station at={null} title="Stream record">
          <span class="quiet">
            {new Date(write.atMs).toISOString().slice(11, 19)} UTC, sequence number <span class="key">{write.rev}</span>
          </span>
        </Station>
        <Station at={batch?.beganMs ?? null} title="Batch">
          {batch === null ? (
            <span class="quiet">
              {lag}. Another process projects this table, so the times of the batch are not known here.
            </span>
          ) : (
            <span class="quiet">
              {countText(batch.records, 'record')}, projected in {msText(batch.endedMs - batch.beganMs)}
            </span>
          )}
        </Station>
        {derived.map((step) => (
          <Station key={`${step.source} ${step.target}`} at={step.afterMs} title={<Kind step={step} />}>
            <ItemKey step={step} /> <Units of={step} />
            <Changes changes={step.changes} />
          </Station>
        ))}
        {derived.length === 0 && isProjected && (
          <Station at={null} title="Derived items">
            <span class="quiet">No derived items change.</span>
          </Station>
        )}
        <Station
          at={isProjected ? (batch?.endedMs ?? null) : null}
          title={isProjected ? 'Readers see it' : 'Readers do not see it yet'}
        >
          <span class="quiet">{isProjected ? READ_TEXT : 'Some derived items are still to be written.'}</span>
        </Station>
      </ol>
    </>
  );
}

const READ_TEXT = 'Views are up to date now; lists follow, usually within a second.';

function Bill({ trace: { batch, derived, price } }: { trace: TraceAnswer }) {
  return (
    <p class="bill">
      <span>
        <strong>{figureText(derived.length + 1)}</strong> items written
      </span>
      {batch !== null && (
        <span>
          <strong>{msText(batch.endedMs)}</strong> to readers
        </span>
      )}
      <span>
        <strong>{figureText(price.wcu)}</strong> WCU
      </span>
      <span>
        <strong>${price.millionUsd.toFixed(2)}</strong> per million writes
      </span>
    </p>
  );
}

function Station({
  at,
  title,
  children,
}: {
  /** See `afterMs` of `TraceStep`. */
  at: number | null;
  title: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <li>
      <span class="at">{at === null ? '' : msText(at)}</span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

function Kind({ step: { kind, of } }: { step: DerivedStep }) {
  return (
    <>
      {kind.replaceAll('-', ' ')}
      {of !== '' && (
        <>
          {' '}
          of <bdi>{of}</bdi>
        </>
      )}
    </>
  );
}

function ItemKey({ step: { source, target, change } }: { step: TraceStep }) {
  return (
    <>
      <Badge kind={CHANGE_KINDS[change]}>{change}</Badge> <ItemLink source={source} target={target} />
    </>
  );
}

function Units({ of: { wcu, isCounted } }: { of: TraceStep }) {
  return (
    <span class="quiet">
      {isCounted ? '' : '≈ '}
      {figureText(wcu)} WCU
    </span>
  );
}

function Changes({ changes }: { changes: readonly AttributeChange[] }) {
  return (
    <dl>
      {changes.map(({ name, before, after }) => (
        <Fact key={name} name={name}>
          {before !== undefined && (
            <del>
              <Value value={before} />
            </del>
          )}
          {before !== undefined && after !== undefined && ' → '}
          {after !== undefined && (
            <ins>
              <Value value={after} />
            </ins>
          )}
        </Fact>
      ))}
    </dl>
  );
}

function msText(ms: number): string {
  return ms > 0 && ms < 1 ? '< 1 ms' : `${Math.round(ms).toLocaleString('en')} ms`;
}
