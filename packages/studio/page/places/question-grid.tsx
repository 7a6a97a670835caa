import type { ComponentChildren } from 'preact';
import type { EdgeResult } from '../../../../src/client/read/request/result.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { QueryAnswer, QueryRow } from '../../api/query.ts';
import { UNITS_AT_ONCE, unitsOfShards } from '../../base/price.ts';
import { useAnswer } from '../base/ask.ts';
import { placesOfTree } from '../base/levels.ts';
import { type Live, useLive } from '../base/live.ts';
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
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { type Column, Grid } from '../parts/grid.tsx';
import { Pager } from '../parts/rows.tsx';
import { Card, LiveMark, Told } from '../parts/told.tsx';
import { LeftOut, Tree } from '../parts/tree.tsx';
import { Why } from '../parts/why.tsx';

/** Properties of the rows of a question. */
export interface QuestionGridProps {
  model: ModelAnswer;
  /** The question, as `questionOf` gives it. */
  question: Question;
  cursor: string | undefined;
  /** Names the table to screen readers. */
  label: string;
  title?: string;
  empty?: string;
  /** More about the answer, below its rows. */
  children?: (answer: QueryAnswer) => ComponentChildren;
}

/** The rows of a question: what they took, how they can be sorted, and the pages. */
export function QuestionGrid(props: QuestionGridProps) {
  const { model, question, cursor, label, title, empty = 'Nothing is found.', children } = props;
  const found = useAnswer<QueryAnswer>('/api/query', { ...question, cursor });
  const tree = found.answer?.tree;
  const isFirst = found.answer !== undefined && tree === undefined && cursor === undefined;
  const moves = isFirst && question.nodes === undefined;
  const live = rowsOf(useLive<EdgeResult | QueryRow>(moves ? question : undefined));
  const levels = question.with ?? [];
  const touches = useTouches(tree && placesOfTree(model, question, levels, tree.items));
  // Rows that come are without the values that sort them: where that is cheap, the answer is read again.
  const isCheap = unitsOfShards(shardsAsked(model, question)) <= UNITS_AT_ONCE;
  const newest = Math.max(0, ...(live.rows ?? []).map(({ isFresh, key }) => (isFresh && isCheap ? key : 0)));
  useAskedAgain(found, touches.count + newest);
  const subject = subjectOf(model, question);
  const known = new Map(found.answer?.rows.map((row) => [row.id, row]));
  const knownRow = (row: QueryRow): QueryRow => known.get(row.id) ?? row;
  const note = (row: QueryRow, place: number) => {
    const { by, sortedBy, value } = knownRow(row);
    if (by === undefined) return null;
    const { search } = subject;
    const found =
      search === undefined ? 'nodes are sorted by their ids' : [{ name: search.from, value, isOfSource: false }];
    return (
      <Why
        id={row.id}
        row={place}
        isLater={cursor !== undefined}
        isDescending={question.reverse !== undefined}
        by={sortedBy ?? found}
        writer={by}
        edgeTo={subject.edge && question.id}
      />
    );
  };
  return (
    <Told asked={found}>
      {(answer) => {
        const { rows, truncated, plan } = answer;
        return (
          <>
            <Card title={title ?? countText(rows.length, 'row')}>
              <p class="cost">
                <strong>{figureText(plan.rcu)} RCU</strong>, {countText(plan.calls, 'DynamoDB call')},{' '}
                {countText(plan.partitions.length, 'partition')}
              </p>
              {(question.where ?? []).length > 0 && (
                <p class="quiet">Rows removed by the filter still consume read capacity.</p>
              )}
              <Sorts sorts={sortsOf(model, question)} isDescending={question.reverse !== undefined} />
              {answer.tree === undefined ? (
                <Grid
                  label={label}
                  items={rows}
                  own={columnsOf(rows, subject, knownRow, note)}
                  attributesOf={({ attributes }) => attributes}
                  known={attributesOfSubject(model, subject)}
                  live={moves ? live : undefined}
                  empty={empty}
                />
              ) : (
                <>
                  <LiveMark live={touches} />
                  <Tree label="Nodes with their levels" items={answer.tree.items} />
                  <LeftOut truncated={truncated} isCut={answer.tree.isCut} />
                </>
              )}
              <Pager
                first={cursor && hereWith({ cursor: undefined })}
                next={answer.cursor && hereWith({ cursor: answer.cursor })}
              />
            </Card>
            {children?.(answer)}
          </>
        );
      }}
    </Told>
  );
}

/** The ways to sort, as the model has them. */
export function Sorts({ sorts, isDescending }: { sorts: readonly Sort[]; isDescending: boolean }) {
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

/** The columns before the attributes: the values that sort the rows. That of a search is its attribute's, but for one of its many, or of a part. */
function columnsOf(
  rows: readonly QueryRow[],
  { edge, search }: Subject,
  knownRow: (row: QueryRow) => QueryRow,
  note: NonNullable<Column<QueryRow>['note']>,
): Column<QueryRow>[] {
  const node: Column<QueryRow> =
    edge === undefined
      ? { name: 'id', valueOf: ({ id }) => id, node: 'itself', note }
      : { name: 'source', valueOf: ({ id }) => id, node: 'end', note };
  const sorted = (rows[0]?.sortedBy ?? []).map(({ name }, i): Column<QueryRow> => {
    return { name, isAttribute: true, valueOf: (row) => row.attributes[name] ?? knownRow(row).sortedBy?.[i]?.value };
  });
  const isAttribute = search?.kind === 'attribute' && !search.multiValue && search.part === undefined;
  const hasValues = rows.some(({ value }) => value !== undefined);
  return hasValues
    ? [node, { name: isAttribute ? search.from : 'value', isAttribute, valueOf: ({ value }) => value }]
    : [node, ...sorted];
}

/** A list's edges as rows of their sources. */
function rowsOf({ rows, ...live }: Live<EdgeResult | QueryRow>): Live<QueryRow> {
  if (rows === undefined) return live;
  return {
    ...live,
    rows: rows.map(({ item, ...row }) => ({ ...row, item: 'source' in item ? { ...item, id: item.source } : item })),
  };
}
