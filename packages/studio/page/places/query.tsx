import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { QueryPlan } from '../../../../src/trust/explain/query.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { QueryAnswer, QueryRow } from '../../api/query.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer, useLive } from '../base/ask.ts';
import { isAsked, type Question, questionOf, type Subject, shardsAsked, subjectOf } from '../base/question.ts';
import { NewNode } from '../items/forms.tsx';
import { AnswerOf, Card, LiveMark, type PlaceProps } from '../parts/basics.tsx';
import { Grid } from '../parts/grid.tsx';
import { Priced } from '../parts/price.tsx';
import { Pager } from '../parts/rows.tsx';
import { Why } from '../parts/why.tsx';
import { QueryForm } from './query-form.tsx';
import { QueryStart } from './query-start.tsx';

export function Query({ model, parameters }: PlaceProps) {
  const question = questionOf(parameters);
  const { nodeType } = subjectOf(model, question);
  const shards = shardsAsked(model, question);
  return (
    <div class="split">
      <div>
        <Card title="Build a query">
          <QueryForm key={addressOf('', question)} model={model} question={question} />
        </Card>
        {model.isWritable && <NewNode key={nodeType} type={nodeType} />}
      </div>
      <div>
        {isAsked(model, question) ? (
          <Priced
            key={question.search ?? question.type}
            units={unitsOfShards(shards)}
            doing={`Read a page from ${countText(shards, 'shard')}`}
          >
            <Answer model={model} question={question} cursor={parameters.get('cursor') ?? undefined} />
          </Priced>
        ) : (
          <QueryStart model={model} />
        )}
      </div>
    </div>
  );
}

function Answer({ model, question, cursor }: { model: ModelAnswer; question: Question; cursor: string | undefined }) {
  const found = useAnswer<QueryAnswer>('/api/query', { ...question, cursor });
  const subject = subjectOf(model, question);
  const isLive = useLive(found);
  return (
    <AnswerOf asked={found}>
      {({ rows, plan, code, cursor: next }) => (
        <>
          <Card title={titleOf(subject, question)}>
            <Plan plan={plan} />
            {(question.where ?? []).length > 0 && (
              <p class="quiet">Rows removed by the filter still consume read capacity.</p>
            )}
            <LiveMark isLive={isLive} />
            <Grid
              label="Rows"
              empty="Nothing found."
              idHeading={subject.edge === undefined ? 'id' : 'source'}
              rows={rows.map((row) => ({ ...row, own: sortColumns(row) }))}
              note={({ id, by, sortedBy }, row) => (
                <Why
                  {...{ id, row }}
                  isLater={cursor !== undefined}
                  isDescending={question.reverse !== undefined}
                  by={sortedBy ?? 'nodes are sorted by id'}
                  writer={by}
                  edgeTo={subject.edge && question.id}
                />
              )}
            />
            <Pager next={next} />
          </Card>
          <Code code={code} />
        </>
      )}
    </AnswerOf>
  );
}

function Plan({ plan: { rcu, calls, steps, partitions } }: { plan: QueryPlan }) {
  return (
    <details>
      <summary>
        <strong>{figureText(rcu)} RCU</strong>, {countText(calls, 'DynamoDB call')},{' '}
        {countText(partitions.length, 'partition')}
      </summary>
      <ol>
        {[...steps, ...partitions].map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
      </ol>
    </details>
  );
}

function titleOf({ edge, search, nodeType }: Subject, { id }: Question): string {
  if (edge !== undefined) return `${edge.type} edges into ${id}`;
  return search === undefined ? `All ${nodeType} nodes` : `Results of ${search.name}`;
}

function sortColumns({ sortedBy = [], attributes }: QueryRow): Record<string, unknown> {
  return Object.fromEntries(sortedBy.map(({ name, value }) => [name, attributes[name] ?? value]));
}

function Code({ code }: { code: string }) {
  const [told, setTold] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(code).then(
      () => setTold('Copied.'),
      () => setTold("The browser doesn't allow copying. Select the text instead."),
    );
  };
  return (
    <Card title="TypeScript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <p class="row">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span role="status">{told}</span>
      </p>
      <p class="quiet">
        Save it next to <code>edgeloom.config.ts</code>, for example as <code>ask.ts</code>, and run{' '}
        <code>npx jiti ask.ts</code>.
      </p>
    </Card>
  );
}
