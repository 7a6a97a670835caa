import { useState } from 'preact/hooks';
import type { EdgeResult, Page } from '../../../../src/client/read/request/result.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ListOfNode, NodeAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer, useAskedLater } from '../base/ask.ts';
import { useAskedAgain, useTouches } from '../base/flow.ts';
import { ItemLink, Link } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { AddEdge, CreateNode } from '../items/create.tsx';
import { Editable } from '../items/edit.tsx';
import { PlaceState } from '../items/item.tsx';
import { Redrive } from '../items/redrive.tsx';
import { RepairNode } from '../items/repair-node.tsx';
import { LastWrite } from '../items/written.tsx';
import { type Column, Grid } from '../parts/grid.tsx';
import { countedText } from '../parts/price.tsx';
import { Pager } from '../parts/rows.tsx';
import { Badge, Card, LiveMark, type NodePartProps, Told } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { Attributes } from '../parts/value.tsx';
import { Why } from '../parts/why.tsx';
import { Compare } from './compare.tsx';
import { Inbound } from './inbound.tsx';
import { ItemsOfNode } from './items-of-node.tsx';

const PARTS = { node: 'Node', compare: 'Compare', items: 'Items' } as const;

/** Milliseconds until a node that is behind is read again. */
const BEHIND_MS = 2_000;

/** The page of a node: its name, its state and its lists, and the part that the address names. */
export function NodeView({ model, id, parameters }: NodePartProps) {
  const part = parameters.get('part') ?? (parameters.has('target') ? 'items' : 'node');
  const asked = useAnswer<NodeAnswer>('/api/node', { id });
  const counted = useAnswer<{ lists: ListOfNode[] }>('/api/lists', { id });
  const touches = useTouches(part === 'node' ? id : undefined);
  const [writes, setWrites] = useState(0);
  useAskedAgain(asked, touches.count + writes);
  useAskedAgain(counted, writes);
  // No write tells that a difference is drift, and no lag.
  useAskedLater(asked, asked.answer?.wrong.some(({ state }) => state === 'lag') ? BEHIND_MS : undefined);
  const noteWrite = (): void => setWrites((before) => before + 1);
  const [written, after] = [parameters.get('written'), parameters.get('after')];
  const lists = counted.answer?.lists ?? [];
  const filled = lists.find(({ direction, count }) => direction === 'incoming' && count > 0)?.type;
  const type = parameters.get('type') ?? (part === 'inbound' ? filled : undefined);
  return (
    <>
      <div class="node-head">
        <h1>
          {asked.answer?.name != null && <bdi>{asked.answer.name} </bdi>}
          <bdi class="key">{id}</bdi>
        </h1>
        {asked.answer !== undefined && <State node={asked.answer} />}
        {part === 'node' && <LiveMark live={touches} />}
      </div>
      <nav class="parts" aria-label="Parts of the node">
        {Object.entries(PARTS).map(([name, text]) => (
          <Link
            key={name}
            to={addressOf('/explore', { id, part: name === 'node' ? undefined : name })}
            aria-current={name === part ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      <Lists {...{ model, id, lists, part, type }} />
      {model.isWritable && asked.answer?.base != null && <AddEdge model={model} id={id} onDone={noteWrite} />}
      {written !== null && after !== null && (
        <LastWrite write={{ source: id, target: written, after: Number(after) }} onChange={noteWrite} />
      )}
      {part === 'edges' ? (
        <Edges id={id} parameters={parameters} writes={writes} />
      ) : part === 'inbound' ? (
        <Told asked={counted}>{() => <Inbound model={model} id={id} parameters={parameters} listed={type} />}</Told>
      ) : part === 'compare' ? (
        <Compare model={model} id={id} parameters={parameters} />
      ) : part === 'items' ? (
        <ItemsOfNode isWritable={model.isWritable} id={id} parameters={parameters} writes={writes} />
      ) : (
        <NodeItself {...{ model, id, asked, lists }} touches={touches.count} onWritten={noteWrite} />
      )}
    </>
  );
}

/** The lists of a node, each with the number of its edges. */
function Lists({
  model,
  id,
  lists,
  part: shown,
  type: listed,
}: Omit<NodePartProps, 'parameters'> & {
  lists: readonly ListOfNode[];
  /** The part and the edge type that the page shows. */
  part: string;
  type: string | undefined;
}) {
  const own = id.slice(0, id.indexOf('-'));
  const leaving = model.edges.filter(({ from }) => from.includes(own));
  const entering = model.edges.filter(({ to, orders }) => to.includes(own) && orders.length > 0);
  const link = (type: string, direction: ListOfNode['direction']) => {
    const part = direction === 'outgoing' ? 'edges' : 'inbound';
    const counted = lists.find((one) => one.type === type && one.direction === direction);
    return (
      <Link
        key={`${part} ${type}`}
        to={addressOf('/explore', { id, part, type })}
        aria-current={part === shown && type === listed ? 'page' : undefined}
      >
        {type} {counted !== undefined && <strong>{countedText(counted)}</strong>}
      </Link>
    );
  };
  if (leaving.length + entering.length === 0) return null;
  return (
    <nav class="parts lists" aria-label="Lists of the node">
      {leaving.length > 0 && <span class="quiet">leave it</span>}
      {leaving.map(({ type }) => link(type, 'outgoing'))}
      {entering.length > 0 && <span class="quiet">enter it</span>}
      {entering.map(({ type }) => link(type, 'incoming'))}
    </nav>
  );
}

/** The state of a node in a word; nothing where the model keeps no view of it. */
function State({ node: { base, view, wrong, quarantined } }: { node: NodeAnswer }) {
  if (base === null && view === null) return <Badge kind="late">absent</Badge>;
  if (wrong.some(({ state }) => state === 'drift')) return <Badge kind="bad">drift</Badge>;
  if (quarantined.length > 0) return <Badge kind="bad">quarantined</Badge>;
  if (wrong.length > 0) return <Badge kind="late">behind</Badge>;
  return view === null ? null : <Badge kind="good">right</Badge>;
}

type EdgeThatLeaves = Pick<EdgeResult, 'type' | 'target'>;

/** The columns of edges that leave a node. */
const TYPE: Column<EdgeThatLeaves> = { name: 'type', valueOf: ({ type }) => type };
const TARGET: Column<EdgeThatLeaves> = { name: 'target', valueOf: ({ target }) => target, isNode: true };

/** Elements of the edge set that are shown, and those that are shown more at a time. */
const FIRST = 50;
const MORE = 100;

function NodeItself({
  model,
  id,
  asked,
  touches,
  lists,
  onWritten,
}: Omit<NodePartProps, 'parameters'> & {
  asked: Asked<NodeAnswer>;
  touches: number;
  lists: readonly ListOfNode[];
  onWritten: () => void;
}) {
  const [shown, setShown] = useState(FIRST);
  return (
    <Told asked={asked}>
      {({ base, parts, view, wrong, quarantined, edgeSet, edgeSetSize, left }) => (
        <>
          <Wrong {...{ id, wrong, quarantined }} isWritable={model.isWritable} onRepaired={asked.again} />
          <Card title="Attributes">
            {base === null ? (
              <>
                <p>There is no such node.</p>
                {model.isWritable && <CreateNode id={id} onDone={onWritten} />}
              </>
            ) : (
              <>
                <Attributes attributes={base} />
                {model.isWritable && (
                  <Editable item={{ source: id, target: id, kind: 'base', attributes: base }} onChange={onWritten} />
                )}
              </>
            )}
          </Card>
          {Object.entries(parts).map(([name, attributes]) => (
            <Card key={name} title={`Part ${name}`}>
              <Attributes attributes={attributes} />
              {model.isWritable && (
                <Editable item={{ source: id, target: name, kind: 'part', attributes }} onChange={onWritten} />
              )}
            </Card>
          ))}
          {(base !== null || view !== null) && (
            <Card title="View">
              {view === null ? (
                <p class="quiet">
                  {wrong.length === 0 ? 'Nothing of the node is projected.' : 'The view has nothing of the node.'}
                </p>
              ) : (
                <Attributes attributes={view} />
              )}
            </Card>
          )}
          {hasTotals(model, id) && (
            <Card title="Totals">
              <Totals id={id} touches={touches} />
            </Card>
          )}
          <Card title={`Edge set, ${countText(edgeSetSize, 'element')}`}>
            <Grid
              label="Edge set"
              items={edgeSet.slice(0, shown)}
              own={[TYPE, TARGET]}
              attributesOf={({ type: _type, target: _target, ...labels }) => labels}
              empty={left.length === 0 ? 'The edge set is empty.' : 'The edge set has no other types.'}
            />
            <LeftTypes id={id} left={left} lists={lists} />
            {edgeSetSize > shown && (
              <p class="row">
                <span>
                  {figureText(Math.min(shown, edgeSet.length))} of {figureText(edgeSetSize)}
                </span>
                {edgeSet.length > shown && (
                  <button type="button" onClick={() => setShown(shown + MORE)}>
                    Show {MORE} more
                  </button>
                )}
                <Link to={addressOf('/explore', { id, part: 'edges' })}>Page by page</Link>
              </p>
            )}
          </Card>
        </>
      )}
    </Told>
  );
}

/** What is wrong about a node, and how to put it right; nothing where all is right. */
function Wrong({
  id,
  wrong,
  quarantined,
  isWritable,
  onRepaired,
}: Pick<NodeAnswer, 'id' | 'wrong' | 'quarantined'> & { isWritable: boolean; onRepaired: () => void }) {
  if (wrong.length + quarantined.length === 0) return null;
  return (
    <Card title="Problems">
      <ul class="items">
        {wrong.map((part) => (
          <li key={`${part.name} ${part.target}`}>
            <PlaceState part={part} />
          </li>
        ))}
        {quarantined.map((entry) => (
          <li key={`quarantine ${entry.target}`}>
            <Badge kind="bad">quarantined</Badge> <ItemLink source={entry.source} target={entry.target} />
            <p>
              <bdi>{reasonOf(entry)}</bdi>
            </p>
          </li>
        ))}
      </ul>
      {isWritable && wrong.some(({ state }) => state === 'drift') && <RepairNode id={id} onDone={onRepaired} />}
      {isWritable && quarantined.length > 0 && <Redrive id={id} onDone={onRepaired} />}
    </Card>
  );
}

/** The edge types that left the set, with the way to their edges. */
function LeftTypes({ id, left, lists }: Pick<NodeAnswer, 'id' | 'left'> & { lists: readonly ListOfNode[] }) {
  return (
    <>
      {left.map((type) => {
        const counted = lists.find((one) => one.type === type && one.direction === 'outgoing');
        return (
          <p key={type} class="row">
            <span>
              {type} edges are too many for the set
              {counted !== undefined && `: ${countedText(counted)}`}
            </span>
            <Link to={addressOf('/explore', { id, part: 'edges', type })}>Page by page</Link>
          </p>
        );
      })}
    </>
  );
}

/** Tells whether the model keeps a number of edges that enter or leave nodes of this type. */
function hasTotals({ edges }: NodePartProps['model'], id: string): boolean {
  const type = id.slice(0, id.indexOf('-'));
  return edges.some(
    ({ from, to, totals, isCounted }) =>
      (totals.inbound !== undefined && to.includes(type)) || (isCounted && from.includes(type)),
  );
}

/** A page of the edges that leave a node, of one type or of all. */
function Edges({ id, parameters, writes }: Omit<NodePartProps, 'model'> & { writes: number }) {
  const cursor = parameters.get('cursor') ?? undefined;
  const type = parameters.get('type') ?? undefined;
  const asked = useAnswer<Page<EdgeResult>>('/api/edges', { id, type, cursor });
  const touches = useTouches(id);
  useAskedAgain(asked, touches.count + writes);
  const note = ({ target, type: own }: EdgeResult, row: number) => (
    <Why
      id={target}
      row={row}
      isLater={cursor !== undefined}
      isDescending={false}
      by="edges that leave a node are sorted by their keys"
      writer={{ source: id, target: `${own}-${target}` }}
      edgeTo={target}
    />
  );
  return (
    <Card title={type === undefined ? 'Edges that leave the node' : `Edges of type ${type} that leave the node`}>
      <LiveMark live={touches} />
      <p class="quiet">Sorted by key. Only inbound lists have custom orders.</p>
      <Told asked={asked}>
        {({ items, cursor: next }) => (
          <>
            <Grid
              label="Edges"
              items={items}
              own={[TYPE, { ...TARGET, note }]}
              attributesOf={({ attributes }) => attributes}
              empty="No edge leaves the node."
            />
            <Pager next={next} />
          </>
        )}
      </Told>
    </Card>
  );
}
