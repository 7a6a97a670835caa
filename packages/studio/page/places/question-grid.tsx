import type { ComponentChildren } from 'preact';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { QueryAnswer, QueryRow } from '../../api/query.ts';
import { UNITS_AT_ONCE, unitsOfShards } from '../../base/price.ts';
import { useAnswer } from '../base/ask.ts';
import { useAskedAgain, useTouches } from '../base/flow.ts';
import { hereWith, Link } from '../base/place.tsx';
import {
  attributesOfSubject,
  type Question,
  type Sort,
  type Subject,
  shardsAsked,
  sortsOf,
  subjectOf,
} from '../base/question.ts';
import { type Column, Grid } from '../parts/grid.tsx';
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
  const touches = useTouches(isCheap ? listed : undefined, true);
  useAskedAgain(found, touches.count);
  const note = ({ id, by, sortedBy, value }: QueryRow, row: number) => (
    <Why
      {...{ id, row }}
      isLater={cursor !== undefined}
      isDescending={question.reverse !== undefined}
      by={
        sortedBy ??
        (subject.search === undefined
          ? 'nodes are sorted by id'
          : [{ name: subject.search.from, value, isOfSource: false }])
      }
      writer={by}
      edgeTo={subject.edge && question.id}
    />
  );
  return (
    <Told asked={found}>
      {(answer) => {
        const { rows, plan } = answer;
        return (
          <>
            <Card title={titleOf(subject, question)}>
              <p class="cost">
                <strong>{figureText(plan.rcu)} RCU</strong>, {countText(plan.calls, 'DynamoDB call')},{' '}
                {countText(plan.partitions.length, 'partition')}
              </p>
              {(question.where ?? []).length > 0 && (
                <p class="quiet">Rows removed by the filter still consume read capacity.</p>
              )}
              <Sorts sorts={sortsOf(model, question)} isDescending={question.reverse !== undefined} />
              <LiveMark live={touches} />
              <Grid
                label="Rows"
                empty="Nothing found."
                items={rows}
                own={columnsOf(rows, subject, note)}
                attributesOf={({ attributes }) => attributes}
                known={attributesOfSubject(model, subject)}
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

function titleOf({ edge, search, nodeType }: Subject, { id }: Question): string {
  if (edge !== undefined) return `${edge.type} edges into ${id}`;
  return search === undefined ? `All ${nodeType} nodes` : `Results of ${search.name}`;
}

function Sorts({ sorts, isDescending }: { sorts: readonly Sort[]; isDescending: boolean }) {
  if (sorts.length === 0) return null;
  return (
    <>
      <nav class="parts sorts" aria-label="Sort by">
        {sorts.map(({ by, isCurrent, changes }) => (
          <Link key={by} to={hereWith(changes)} aria-current={isCurrent ? 'page' : undefined}>
            {by}
            {isCurrent && (isDescending ? ', descending' : ', ascending')}
          </Link>
        ))}
      </nav>
      <p class="quiet">To sort another way, add an order or a search to the model.</p>
    </>
  );
}

/** The value of a search is its attribute's, except for multi-valued attributes and parts. */
function columnsOf(
  rows: readonly QueryRow[],
  { edge, search }: Subject,
  note: NonNullable<Column<QueryRow>['note']>,
): Column<QueryRow>[] {
  const node = { name: edge === undefined ? 'id' : 'source', valueOf: ({ id }: QueryRow) => id, isNode: true, note };
  const sorted = (rows[0]?.sortedBy ?? []).map(({ name }, i): Column<QueryRow> => {
    return { name, isAttribute: true, valueOf: (row) => row.attributes[name] ?? row.sortedBy?.[i]?.value };
  });
  const isAttribute = search?.kind === 'attribute' && !search.multiValue && search.part === undefined;
  const hasValues = rows.some(({ value }) => value !== undefined);
  return hasValues
    ? [node, { name: isAttribute ? search.from : 'value', isAttribute, valueOf: ({ value }) => value }]
    : [node, ...sorted];
}
