import { useEffect } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { CheckAnswer, CheckPriceAnswer } from '../../api/trust.ts';
import type { CheckState } from '../../base/check-job.ts';
import { postTo, useAnswer, useDoing, useLive } from '../base/ask.ts';
import { Badge, Card, FailureNote } from '../parts/basics.tsx';

const STATES = { running: 'late', done: 'good', stopped: 'late', failed: 'bad' } as const;

export function CheckPanel({ isWritable, onDone }: { isWritable: boolean; onDone: () => void }) {
  const asked = useAnswer<CheckAnswer>('/api/check');
  const { again, answer } = asked;
  const { failure, run } = useDoing();
  const check = answer?.check ?? undefined;
  const isRunning = check?.state === 'running';
  useLive(asked);
  // A short check may end before the first poll, so also watch its start time.
  useEffect(onDone, [check?.beganAtMs, isRunning]);
  const tell = (path: string, body: object = {}): void => {
    run(async () => {
      await postTo<CheckAnswer>(path, body);
      again();
    });
  };
  return (
    <Card title="Check" wide>
      <CheckForm isWritable={isWritable} running={isRunning ? check : undefined} tell={tell} />
      <FailureNote failure={failure} />
      <FailureNote failure={asked.failure} />
      {check !== undefined && <Checked check={check} />}
    </Card>
  );
}

function CheckForm({
  isWritable,
  running,
  tell,
}: {
  isWritable: boolean;
  running: CheckState | undefined;
  tell: (path: string, body?: object) => void;
}) {
  const { answer: price } = useAnswer<CheckPriceAnswer>('/api/check-price');
  const isRunning = running !== undefined;
  return (
    <p class="row">
      <button type="button" class="main" disabled={isRunning} onClick={() => tell('/api/check')}>
        {running?.isRepair === false ? 'Checking …' : 'Check'}
      </button>
      {isWritable && (
        <button type="button" disabled={isRunning} onClick={() => tell('/api/repair', { id: null })}>
          {running?.isRepair === true ? 'Checking and repairing …' : 'Check and repair'}
        </button>
      )}
      {isRunning && (
        <button type="button" onClick={() => tell('/api/check/stop')}>
          Stop
        </button>
      )}
      {price !== undefined && (
        <span class="quiet">Takes about {figureText(price.rcu)} RCU, plus reads for each difference.</span>
      )}
    </p>
  );
}

function Checked({ check }: { check: CheckState }) {
  const { scope, state, totals, expectedRcu, notRepaired, error } = check;
  const items = (totals?.baseItems ?? 0) + (totals?.derivedItems ?? 0);
  const { pending = 0, quarantined = 0, unregistered = 0, repaired = 0 } = totals ?? {};
  return (
    <div role="status" aria-live="polite">
      <p>
        <Badge kind={STATES[state]}>{state}</Badge> check of <bdi>{scope}</bdi>: {countText(items, 'item')}
        {totals !== null && `, ${figureText(totals.rcu)} RCU`}
        {totals !== null && expectedRcu !== null && ` (estimated ${figureText(expectedRcu)})`}
        {totals !== null && `, ${figureText(totals.wcu)} WCU`}
      </p>
      <FailureNote failure={error} />
      {totals !== null && (
        <p>
          {countsText({ ...totals.drift, pending, quarantined, unregistered, repaired }) ||
            `No differences${state === 'done' ? '' : ' so far'}`}
          .
        </p>
      )}
      {totals?.changing.map(({ name, items: met, reason }) => (
        <p key={name} class="quiet">
          not compared: <bdi>{name}</bdi>, {countText(met, 'item')}: {reason}
        </p>
      ))}
      <ul class="problems">
        {notRepaired.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function countsText(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${figureText(count)} ${name}`)
    .join(', ');
}
