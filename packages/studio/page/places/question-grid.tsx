import type { ComponentChildren } from 'preact';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { QueryPlan } from '../../../../src/trust/explain/query.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { QueryAnswer, QueryRow } from '../../api/query.ts';
import { UNITS_AT_ONCE, unitsOfShards } from '../../base/price.ts';
import { useAnswer } from '../base/ask.ts';
import { useLive } from '../base/flow.ts';
import { type Question, type Subject, shardsAsked, subjectOf } from '../base/question.ts';
import { Grid } from '../parts/grid.tsx';
import { Pager } from '../parts/rows.tsx';
import { Card, LiveMark, Told } from '../parts/told.tsx';
import { Why } from '../parts/why.tsx';

interface QuestionGridProps {
  model: ModelAnswer;
  question: Question;
  cursor: string | undefined;
  children: (answer: QueryAnswer) => ComponentChildren;
}

export function QuestionGrid(props: QuestionGridProps) {
  const { model, question, cursor, children } = props;
  const found = useAnswer<QueryAnswer>('/api/query', { ...question, cursor });
  const subject = subjectOf(model, question);
  const isCheap = unitsOfShards(shardsAsked(model, question)) <= UNITS_AT_ONCE;
  const listed = subject.edge === undefined ? `${subject.nodeType}-` : question.id;
  const live = useLive(isCheap ? listed : undefined, [found], true);
  return (
    <Told asked={found}>
      {(answer) => {
        const { rows, plan } = answer;
        return (
          <>
            <Card title={titleOf(subject, question)}>
              <Plan plan={plan} />
              {(question.where ?? []).length > 0 && (
                <p class="quiet">Rows removed by the filter still consume read capacity.</p>
              )}
              <LiveMark live={live} />
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
              <Pager next={answer.cursor} />
            </Card>
            {children(answer)}
          </>
        );
      }}
    </Told>
  );
}

/** The cost of the answer; unfolded, how the answer was read. */
function Plan({ plan: { rcu, calls, steps, partitions } }: { plan: QueryPlan }) {
  return (
    <details class="plan">
      <summary>
        <strong>{figureText(rcu)} RCU</strong>, {countText(calls, 'DynamoDB call')},{' '}
        {countText(partitions.length, 'partition')}
      </summary>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <ul>
        {partitions.map((partition) => (
          <li key={partition} class="key">
            <bdi>{partition}</bdi>
          </li>
        ))}
      </ul>
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
