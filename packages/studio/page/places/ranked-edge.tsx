import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { StoredItem } from '../../api/inspect.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { NodeAnswer } from '../../api/nodes.ts';
import type { QueryAnswer } from '../../api/query.ts';
import type { WriteAnswer } from '../../api/write.ts';
import { UNITS_AT_ONCE, unitsOfShards } from '../../base/price.ts';
import { typeOf } from '../../base/type-of.ts';
import { postTo, useAnswer, useDoing, useLive } from '../base/ask.ts';
import { hereWith, NodeLink, replaceAddress } from '../base/place.tsx';
import { AnswerOf, Badge, Card, FailureNote, LiveMark } from '../parts/basics.tsx';
import { jsonText } from '../parts/value.tsx';

/** An edge whose place in a list depends on a ranked label, such as a role. */
export interface RankedEdge {
  source: string;
  type: string;
  end: string;
  order: string;
  attribute: string;
  /** Highest first. */
  labels: readonly string[];
  isInSet: boolean;
}

/** Returns undefined if no list ranks the edge, its key is hashed, or its list is partitioned or costly. */
export function rankedEdge({ edges }: ModelAnswer, source: string, target: string): RankedEdge | undefined {
  const edge = edges.find(({ type }) => type === typeOf(target));
  const order = edge?.orders.find(({ kind }) => kind === 'rank');
  if (order?.attribute === undefined || order.labels === undefined || edge === undefined) return undefined;
  const end = target.slice(edge.type.length + 1);
  const isHashed = end.startsWith('#');
  if (isHashed || edge.partition !== undefined || unitsOfShards(edge.shards) > UNITS_AT_ONCE) return undefined;
  const { attribute } = order;
  return {
    ...{ source, attribute, type: edge.type, end, order: order.name },
    labels: [...order.labels].reverse(),
    isInSet: edge.labels?.includes(attribute) === true,
  };
}

const MOST_ROWS = 12;

export function RankedEdgeView({
  edge,
  isWritable,
  path,
}: {
  edge: RankedEdge;
  isWritable: boolean;
  path: (onProjected: () => void) => ComponentChildren;
}) {
  const { source, type, end, order, attribute, labels, isInSet } = edge;
  const item = useAnswer<{ item: StoredItem | null }>('/api/item', { source, target: `${type}-${end}` });
  const list = useAnswer<QueryAnswer>('/api/query', { type, id: end, order, reverse: 'true', limit: `${MOST_ROWS}` });
  const node = useAnswer<NodeAnswer>(isInSet ? '/api/node' : undefined, { id: source });
  useLive(item);
  useLive(node);
  const isLive = useLive(list);
  const { name = null, names = {} } = node.answer ?? {};
  const entering = (list.answer?.rows ?? []).map((row) => ({ ...row, label: row.attributes[attribute] }));
  const ranked = (label: unknown): number => labels.indexOf(String(label));
  const leaving = (node.answer?.edgeSet ?? [])
    .filter((element) => element.type === type)
    .map((element) => ({
      id: element.target,
      name: names[element.target] ?? null,
      label: (element as Record<string, unknown>)[attribute],
    }))
    .sort((left, right) => ranked(left.label) - ranked(right.label))
    .slice(0, MOST_ROWS);
  const nameOfEnd = names[end] ?? null;
  // Ask at once: a large view is polled only every few seconds, and would contradict the path until then.
  const showLists = (): void => {
    list.again();
    if (isInSet) node.again();
  };
  return (
    <div class="ranked">
      <Card title={`Change the ${attribute}`}>
        <AnswerOf asked={item}>
          {({ item: stored }) => <Labels {...{ edge, stored, isWritable, name, nameOfEnd }} onWritten={item.again} />}
        </AnswerOf>
      </Card>
      {path(showLists)}
      <div>
        <Card title={`${type} edges into ${nameOfEnd ?? end}, by ${attribute}`}>
          <LiveMark isLive={isLive} />
          <AnswerOf asked={list}>{() => <Ranked rows={entering} chosen={source} />}</AnswerOf>
          <p class="quiet">An index keeps this order, so a page of the list takes one Query.</p>
        </Card>
        {isInSet && (
          <Card title={`${type} edges from ${name ?? source}, by ${attribute}`}>
            <AnswerOf asked={node}>{() => <Ranked rows={leaving} chosen={end} />}</AnswerOf>
            <p class="quiet">The node's view holds these edges: one read returns the node and its edges.</p>
          </Card>
        )}
      </div>
    </div>
  );
}

function Labels({
  edge: { source, type, end, attribute, labels },
  stored,
  isWritable,
  name,
  nameOfEnd,
  onWritten,
}: {
  edge: RankedEdge;
  stored: StoredItem | null;
  isWritable: boolean;
  name: string | null;
  nameOfEnd: string | null;
  onWritten: () => void;
}) {
  const { isRunning, failure, run } = useDoing();
  if (stored === null) return <p class="quiet">This edge doesn't exist.</p>;
  const { [attribute]: current } = stored.attributes;
  const write = async (label: string): Promise<void> => {
    const [before, after] = [stored.attributes, { ...stored.attributes, [attribute]: label }].map((one) =>
      jsonText(one),
    );
    const written = await postTo<WriteAnswer>('/api/update', { source, target: `${type}-${end}`, before, after });
    replaceAddress(hereWith({ rev: undefined, after: `${written.after}` }));
    onWritten();
  };
  return (
    <>
      <NodeLink id={source} name={name} />
      <p class="quiet">{type}</p>
      <NodeLink id={end} name={nameOfEnd} />
      <fieldset class="labels">
        <legend>{attribute}</legend>
        {labels.map((label) => (
          <button
            key={label}
            type="button"
            aria-pressed={label === current}
            disabled={!isWritable || isRunning}
            onClick={() => label !== current && run(() => write(label))}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <p class="quiet">
        {isWritable
          ? `Choose another ${attribute}: both lists reorder, and the path shows what was written.`
          : `This studio is read-only. Start it with --write to change the ${attribute}.`}
      </p>
      <FailureNote failure={failure} />
    </>
  );
}

const MOVE_MS = 600;

function Ranked({
  rows,
  chosen,
}: {
  rows: readonly { id: string; name: string | null; label: unknown }[];
  chosen: string;
}) {
  const list = useRef<HTMLOListElement>(null);
  const tops = useRef<ReadonlyMap<string, number>>(new Map());
  useLayoutEffect(() => {
    const before = tops.current;
    const items = [...list.current!.children] as HTMLElement[];
    // Measured within the list, because resizing the window moves the list itself.
    const topOf = (item: HTMLElement): number => item.offsetTop - list.current!.offsetTop;
    tops.current = new Map(items.map((item, i) => [rows[i]!.id, topOf(item)]));
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const [i, item] of items.entries()) {
      const way = (before.get(rows[i]!.id) ?? topOf(item)) - topOf(item);
      if (way !== 0)
        item.animate({ transform: [`translateY(${way}px)`, 'none'] }, { duration: MOVE_MS, easing: 'ease' });
    }
  });
  return (
    <ol class="rank" ref={list}>
      {rows.map(({ id, name, label }) => (
        <li key={id} aria-current={id === chosen ? 'true' : undefined}>
          <NodeLink id={id} name={name} /> <Badge kind="plain">{String(label ?? 'none')}</Badge>
        </li>
      ))}
    </ol>
  );
}
