import { Fragment } from 'preact';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { StatusAnswer } from '../../api/model-and-status.ts';
import { type Asked, askStudio, useAnswer, useAskedLater, useDoing } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { shortId } from '../base/words.ts';
import { Ago } from '../parts/ago.tsx';
import { countedText } from '../parts/price.tsx';
import { Rows } from '../parts/rows.tsx';
import { Badge, Card, FailureNote, type PlaceProps, Told } from '../parts/told.tsx';
import { Verified } from '../parts/verified.tsx';
import { ModelGraph } from './model-graph.tsx';

/** Milliseconds between two looks for the stream's part of a status: the table is not read again. */
const SOON_MS = 500;
const STATE_KINDS = {
  'at end': 'good',
  behind: 'late',
  gone: 'bad',
  lost: 'late',
  'not read to its end': 'late',
} as const;

/** The model, and how the table is now. */
export function Overview({ model, parameters }: PlaceProps) {
  // The first answer is there before the stream is read.
  const ofTable = useAnswer<StatusAnswer>('/api/status', { quick: 'true' });
  const { answer: known } = ofTable;
  const isReading = known?.stream.state === 'reading';
  useAskedLater(ofTable, isReading ? SOON_MS : known?.keptMs);
  const asked = ofStream(ofTable);
  const { answer } = asked;
  return (
    <div class="cards">
      {answer !== undefined && answer.problems.length > 0 && <Problems problems={answer.problems} />}
      {known !== undefined && <Looked status={known} onLook={ofTable.again} />}
      <Card title="Model" wide>
        <ModelGraph model={model} chosen={parameters.get('picked') ?? undefined} />
      </Card>
      {answer !== undefined && answer.problems.length === 0 && <NoProblems status={answer} />}
      <Card title="Consumers">
        <Told asked={asked}>{(status) => <Consumers status={status} />}</Told>
      </Card>
      <Card title="Quarantine">
        <Told asked={ofTable}>
          {({ quarantined, quarantineIsWhole: isExact }) => (
            <>
              <Rows
                label="Quarantine by reason"
                headings={['reason', 'records']}
                rows={Object.entries(quarantined).map(([reason, count]) => [reason, countedText({ count, isExact })])}
                empty="Quarantine is empty."
              />
              {!isExact && (
                <p class="quiet">
                  Counting all of them would cost more than 100 RCU. Run edgeloom status to count them.
                </p>
              )}
            </>
          )}
        </Told>
        <Link to="/trust">See the entries</Link>
      </Card>
      <Card title="Last check">
        <Told asked={ofTable}>{({ lastCheck }) => <LastCheck lastCheck={lastCheck} />}</Told>
        <Link to="/trust">Run a check</Link>
      </Card>
      <Card title="Verified">
        <Told asked={ofTable}>{(status) => <Verified status={status} />}</Told>
      </Card>
      <Card title="Table and registry">
        <Told asked={ofTable}>{(status) => <Table status={status} />}</Told>
      </Card>
    </div>
  );
}

/** The answer as far as the stream says it: nothing until that is read, or why it cannot be read. */
function ofStream(asked: Asked<StatusAnswer>): Asked<StatusAnswer> {
  const { answer, ...rest } = asked;
  if (answer?.stream.state === 'read') return asked;
  if (answer?.stream.state === 'failed') return { ...rest, failure: answer.stream.error };
  return { ...rest, isWaiting: true };
}

/** How old the status is, and another look. */
function Looked({ status: { atMs, keptMs }, onLook }: { status: StatusAnswer; onLook: () => void }) {
  const { failure, run } = useDoing();
  const look = async (): Promise<void> => {
    await askStudio('/api/status', { quick: 'true', again: 'true' });
    onLook();
  };
  return (
    <div class="wide row looked-at">
      <span class="quiet">
        Looked at <Ago at={atMs} />. A look is kept for {figureText(keptMs / 1_000)} s, or until the studio writes.
      </span>
      <button type="button" class="small" onClick={() => run(look)}>
        Look again
      </button>
      <FailureNote failure={failure} />
    </div>
  );
}

/** No problem is known, which says as much as the last check does. */
function NoProblems({ status: { lastCheck } }: { status: StatusAnswer }) {
  return (
    <p class="wide">
      <Badge kind={lastCheck === null ? 'plain' : 'good'}>No problems found</Badge> Last check:{' '}
      {lastCheck === null ? 'never' : <Ago at={lastCheck.ended} />}.
    </p>
  );
}

function Problems({ problems }: { problems: readonly string[] }) {
  return (
    <Card title="Needs attention" wide>
      <ul class="problems">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
      <Link to="/trust">Quarantine and check</Link>
    </Card>
  );
}

/** How long the rate of a consumer holds after it was seen, in milliseconds: while it applies records it is seen every 10 s. */
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
            <span class="key" title={id}>
              {shortId(id)}
            </span>,
            kind,
            isOld ? '' : recordsPerSecond,
            writes ?? '',
            <>
              <Ago at={seen} />
              {isStopped ? ' (stopped)' : ''}
            </>,
          ];
        })}
        empty="No consumer was seen in the last two days."
      />
    </>
  );
}

function LastCheck({ lastCheck }: { lastCheck: StatusAnswer['lastCheck'] }) {
  if (lastCheck === null) return <p class="quiet">The whole table hasn't been checked yet.</p>;
  return (
    <dl class="facts">
      <dt>verdict</dt>
      <dd>
        <Badge kind={lastCheck.verdict === 'clean' ? 'good' : 'bad'}>{lastCheck.verdict}</Badge>
      </dd>
      <dt>ended</dt>
      <dd>
        <Ago at={lastCheck.ended} />
      </dd>
      <dt>differences</dt>
      <dd>{figureText(lastCheck.drift)}</dd>
      {Object.entries({ pending: lastCheck.pending, unregistered: lastCheck.unregistered ?? 0 })
        .filter(([, count]) => count > 0)
        .map(([name, count]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{figureText(count)}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

function Table({ status: { table, projections } }: { status: StatusAnswer }) {
  const ready = projections.filter(({ state }) => state === 'ready');
  const others = projections.filter(({ state }) => state !== 'ready');
  return (
    <>
      <dl class="facts">
        <dt>table</dt>
        <dd>
          <bdi>{table.name}</bdi>, {table.status}
        </dd>
        <dt>indexes</dt>
        <dd>{table.indexes.join(', ') || 'none'}</dd>
        <dt>items</dt>
        <dd>
          {figureText(table.itemCount)}
          {table.sizeBytes > 0 && `, ${sizeText(table.sizeBytes)}`}
        </dd>
      </dl>
      {projections.length === 0 && <p class="quiet">The table has no registry. Run edgeloom migrate to create it.</p>}
      {others.length > 0 && <Projections label="Projections that change" projections={others} />}
      {ready.length > 0 && (
        <details>
          <summary>{countText(ready.length, 'projection is', 'projections are')} ready</summary>
          <Projections label="Projections that are ready" projections={ready} />
        </details>
      )}
    </>
  );
}

function Projections({ label, projections }: { label: string; projections: StatusAnswer['projections'] }) {
  return (
    <Rows
      label={label}
      headings={['projection', 'generation', 'state']}
      rows={projections.map(({ name, generation, state }) => [<span class="key">{name}</span>, generation, state])}
    />
  );
}

/** A number of bytes in its largest unit. */
function sizeText(bytes: number): string {
  if (bytes >= 1_000_000) return `${figureText(bytes / 1_000_000)} MB`;
  return bytes >= 1_000 ? `${figureText(bytes / 1_000)} KB` : `${figureText(bytes)} bytes`;
}
