import { useEffect, useState } from 'preact/hooks';
import { EVENTUAL_READ_UNIT_BYTES } from '../../../../src/core/items/capacity.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { type Finding, WRONG } from '../../../../src/trust/check/finding.ts';
import type { CheckAnswer, SizeAnswer } from '../../api/trust.ts';
import type { CheckState } from '../../base/check-job.ts';
import { addressOf } from '../base/address.ts';
import { type Failure, postTo, useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { priceText } from '../parts/price.tsx';
import { Rows } from '../parts/rows.tsx';
import { Badge, Card, FailureNote } from '../parts/told.tsx';
import { Difference, Text } from '../parts/value.tsx';

/** How often a running check is asked how far it is, in milliseconds. */
const POLL_MS = 500;
/** Findings about a model change under way have this partition, and a name as their key: no item has that key. */
export const REGISTRY = '~edgeloom';
/** Repairs that are shown. */
const SHOWN = 100;
const STATES = { running: 'late', done: 'good', stopped: 'late', failed: 'bad' } as const;

/** Runs a check of a node, of a sample or of the table, and shows what it finds. */
export function CheckPanel({ isWritable, id }: { isWritable: boolean; id: string }) {
  const asked = useAnswer<CheckAnswer>('/api/check');
  const { again, answer } = asked;
  const [failure, setFailure] = useState<Failure>();
  const check = answer?.check ?? undefined;
  const isRunning = check?.state === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(again, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, again]);
  const tell = (path: string, body: object): void => {
    setFailure(undefined);
    postTo<CheckAnswer>(path, body).then(again, setFailure);
  };
  return (
    <Card title="Check" wide>
      <CheckForm id={id} isWritable={isWritable} isRunning={isRunning} tell={tell} />
      {failure !== undefined && <FailureNote failure={failure} />}
      {asked.failure !== undefined && <FailureNote failure={asked.failure} />}
      {check !== undefined && <Checked check={check} />}
    </Card>
  );
}

type ScopeKind = 'node' | 'sample' | 'table';

function CheckForm({
  id,
  isWritable,
  isRunning,
  tell,
}: {
  id: string;
  isWritable: boolean;
  isRunning: boolean;
  tell: (path: string, body: object) => void;
}) {
  const [kind, setKind] = useState<ScopeKind>(id === '' ? 'table' : 'node');
  const [percent, setPercent] = useState('1');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const scope = { kind, id: String(form.get('id') ?? ''), percent: Number(form.get('percent') ?? 0) };
        const isRepair = (event.submitter as HTMLButtonElement | null)?.value === 'repair';
        tell(isRepair ? '/api/repair' : '/api/check', { scope });
      }}
    >
      <label>
        What
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as ScopeKind)}>
          <option value="node">a node</option>
          <option value="sample">a sample</option>
          <option value="table">the table</option>
        </select>
      </label>
      {kind === 'node' && (
        <label>
          Node id
          <input name="id" defaultValue={id} required autocomplete="off" spellcheck={false} />
        </label>
      )}
      {kind === 'sample' && (
        <label>
          Percent of the table
          <input
            name="percent"
            type="number"
            min="0.1"
            max="100"
            step="0.1"
            value={percent}
            required
            onInput={(event) => setPercent(event.currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" disabled={isRunning}>
        Check
      </button>
      {isWritable && (
        <button type="submit" value="repair" class="repair" disabled={isRunning}>
          Check and repair
        </button>
      )}
      {isRunning && (
        <button type="button" onClick={() => tell('/api/check/stop', {})}>
          Stop
        </button>
      )}
      {kind !== 'node' && <Price percent={kind === 'table' ? 100 : Number(percent)} />}
    </form>
  );
}

/** The read units that a check of a share of the table takes at least. */
function Price({ percent }: { percent: number }) {
  const { answer } = useAnswer<SizeAnswer>('/api/size');
  if (answer === undefined) return null;
  const units = Math.ceil((answer.sizeBytes / EVENTUAL_READ_UNIT_BYTES) * (percent / 100));
  return <span class="quiet">It takes {priceText(Math.max(1, units))}.</span>;
}

function Checked({ check }: { check: CheckState }) {
  const { scope, state, totals, expected, findings, leftOut, repairs, error } = check;
  const items = (totals?.baseItems ?? 0) + (totals?.derivedItems ?? 0);
  const { missing = 0, stale = 0, orphan = 0 } = totals?.drift ?? {};
  return (
    <div role="status" aria-live="polite">
      <p>
        <Badge kind={STATES[state]}>{state}</Badge> check of <bdi>{scope}</bdi>: {countText(items, 'item')}
        {totals === null ? '' : `, ${figureText(totals.rcu)} RCU, ${figureText(totals.wcu)} WCU`}
      </p>
      {state === 'running' && (
        <progress
          aria-label="Progress of the check"
          value={expected === 0 ? undefined : items}
          max={Math.max(expected, items, 1)}
        />
      )}
      {error !== undefined && <FailureNote failure={error} />}
      {totals !== null && (
        <p>
          drift: {figureText(missing)} missing, {figureText(stale)} stale, {figureText(orphan)} orphan;{' '}
          {figureText(totals.pending)} pending, {figureText(totals.quarantined)} quarantined,{' '}
          {figureText(totals.unregistered)} unregistered, {figureText(totals.repaired)} repaired
        </p>
      )}
      {totals?.changing.map(({ name, items: met, reason }) => (
        <p key={name} class="quiet">
          not compared: <bdi>{name}</bdi>, {countText(met, 'item')}: {reason}
        </p>
      ))}
      {totals?.unknownTypes.map(({ type, items: met, nearest }) => (
        <p key={type} class="quiet">
          unknown type <bdi>{type}</bdi>: {countText(met, 'item')}
          {nearest === null ? '' : `; is ${nearest} meant?`}
        </p>
      ))}
      <ul class="findings">
        {findings.map((finding) => (
          <li key={`${finding.source} ${finding.target} ${finding.verdict} ${finding.expected}`}>
            <Found finding={finding} />
          </li>
        ))}
      </ul>
      {Object.entries(leftOut).map(([verdict, more]) => (
        <p key={verdict} class="quiet">
          and {figureText(more)} more {verdict}
        </p>
      ))}
      {repairs.length > 0 && (
        <details>
          <summary>Repairs</summary>
          <Rows label="Repairs" headings={['repair']} rows={repairs.slice(0, SHOWN).map((line) => [line])} />
        </details>
      )}
    </div>
  );
}

function Found({ finding: { source, target, verdict, expected, actual } }: { finding: Finding }) {
  const isDrift = verdict === 'missing' || verdict === 'stale' || verdict === 'orphan';
  const isBad = (WRONG as readonly Finding['verdict'][]).includes(verdict);
  return (
    <>
      <Badge kind={isBad ? 'bad' : 'late'}>{verdict}</Badge>{' '}
      {source === REGISTRY ? (
        <bdi class="key">{target}</bdi>
      ) : (
        <Link to={addressOf('/inspect', { id: source, target })} class="key">
          <bdi>{target === source ? source : `${source} ${target}`}</bdi>
        </Link>
      )}
      {isDrift || verdict === 'pending' ? (
        <Difference wanted={expected} stored={actual} />
      ) : (
        actual !== null && (
          <p>
            <Text text={actual} />
          </p>
        )
      )}
    </>
  );
}
