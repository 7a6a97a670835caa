import { indexSampleText } from '../../../../src/trust/explain/index-sample.ts';
import { NOT_VERIFIED, verifiedText } from '../../../../src/trust/explain/verified-text.ts';
import type { StatusAnswer } from '../../api/model-and-status.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { Ago } from '../parts/ago.tsx';
import { AnswerOf, Badge, Card, type PlaceProps } from '../parts/basics.tsx';
import { Rows } from '../parts/rows.tsx';
import { ModelGraph } from './model-graph.tsx';

const EVERY_MS = 5_000;
const STATE_KINDS = {
  'at end': 'good',
  behind: 'late',
  gone: 'bad',
  lost: 'late',
  'not read to its end': 'late',
} as const;

export function Overview({ model, parameters }: PlaceProps) {
  const asked = useAnswer<StatusAnswer>('/api/status');
  useAskedLater(asked, EVERY_MS);
  const { answer: status } = asked;
  return (
    <div class="cards">
      {status !== undefined && status.problems.length > 0 && <Problems status={status} />}
      <Card title="Model" wide>
        <ModelGraph model={model} chosen={parameters.get('picked') ?? undefined} />
      </Card>
      {status?.problems.length === 0 && (
        <p class="wide">
          <Badge kind={status.lastCheck === null ? 'plain' : 'good'}>No problems found</Badge>{' '}
          <LastCheck lastCheck={status.lastCheck} />
        </p>
      )}
      <Card title="Consumers">
        <AnswerOf asked={asked}>{(answer) => <Consumers status={answer} />}</AnswerOf>
      </Card>
      <Card title="Verified">
        <AnswerOf asked={asked}>{(answer) => <Verified status={answer} />}</AnswerOf>
      </Card>
      <Card title="Projections">
        <AnswerOf asked={asked}>{({ projections }) => <Projections projections={projections} />}</AnswerOf>
      </Card>
    </div>
  );
}

function Problems({ status: { problems, lastCheck } }: { status: StatusAnswer }) {
  return (
    <Card title="Needs attention" wide>
      <ul class="problems">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
      <p>
        <Link to="/trust">Open Trust</Link> <LastCheck lastCheck={lastCheck} />
      </p>
    </Card>
  );
}

function LastCheck({ lastCheck }: Pick<StatusAnswer, 'lastCheck'>) {
  if (lastCheck === null) return <span class="quiet">The whole table hasn't been checked yet.</span>;
  return (
    <span class="quiet">
      Last check: {lastCheck.verdict}, <Ago at={lastCheck.ended} />.
    </span>
  );
}

function Verified({ status }: { status: StatusAnswer }) {
  return (
    <>
      <p>{verifiedText(status, status.atMs)}.</p>
      {status.indexSample !== null && <p>{indexSampleText(status.indexSample)}.</p>}
      {status.verifiedThrough !== null && <p>Not verified: {NOT_VERIFIED.join(', ')}.</p>}
    </>
  );
}

/** Groups by generation and state, because a migration builds new generations. */
function Projections({ projections }: Pick<StatusAnswer, 'projections'>) {
  const alike = Map.groupBy(projections, ({ generation, state }) => `generation ${generation} is ${state}`);
  if (alike.size === 0) return <p class="quiet">The table has no registry.</p>;
  return (
    <ul class="items">
      {[...alike].map(([said, all]) => (
        <li key={said}>
          {said}: <span class="key">{all.map(({ name }) => name).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** Rates older than this aren't shown. A busy consumer saves its progress every 10 s. */
const RATE_HOLDS_MS = 20_000;

function Consumers({ status: { atMs, shards, consumers } }: { status: StatusAnswer }) {
  return (
    <>
      <Rows
        label="Shards of the stream"
        headings={['shard', 'state', 'behind (s)']}
        rows={shards.map(({ id, state, behindSeconds }) => [
          <span class="key">{id}</span>,
          <Badge kind={STATE_KINDS[state]}>{state}</Badge>,
          behindSeconds === null ? '' : Math.round(behindSeconds),
        ])}
        empty="The table has no stream."
      />
      <Rows
        label="Consumers of the stream"
        headings={['consumer', 'kind', 'records/s', 'writes', 'seen']}
        rows={consumers.map((consumer) => {
          const { id, kind, writes, seen, isStopped, recordsPerSecond } = consumer;
          const isOld = isStopped || atMs - Date.parse(seen) > RATE_HOLDS_MS;
          return [
            <span class="key">{id}</span>,
            kind,
            isOld ? '' : recordsPerSecond,
            writes ?? '',
            <>
              <Ago at={seen} />
              {isStopped ? ' (stopped)' : ''}
            </>,
          ];
        })}
        empty="No consumer in the last two days."
      />
    </>
  );
}
