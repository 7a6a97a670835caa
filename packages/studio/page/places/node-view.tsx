import type { ComponentChildren } from 'preact';
import type { Page } from '../../../../src/client/read/request/result.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import type { ListOfNode, NamedEdge, NodeAnswer } from '../../api/nodes.ts';
import { typeOf } from '../../base/type-of.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer, useLive } from '../base/ask.ts';
import { ItemLink, Link } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { Redrive, RepairNode } from '../items/buttons.tsx';
import { AddEdge, CreateNode, Edit } from '../items/forms.tsx';
import { Places } from '../items/item.tsx';
import { LastWrite } from '../items/written.tsx';
import { AnswerOf, Badge, Card, LiveMark, type NodePartProps } from '../parts/basics.tsx';
import { Grid } from '../parts/grid.tsx';
import { countedText } from '../parts/price.tsx';
import { Pager } from '../parts/rows.tsx';
import { Attributes } from '../parts/value.tsx';
import { Why } from '../parts/why.tsx';
import { Compare } from './compare.tsx';
import { ItemsOfNode } from './items-of-node.tsx';

const PARTS = { node: 'Node', compare: 'Compare', items: 'Items' } as const;

export function NodeView({ model, id, parameters }: NodePartProps) {
  const part = parameters.get('part') ?? (parameters.has('target') ? 'items' : 'node');
  const asked = useAnswer<NodeAnswer>('/api/node', { id });
  const counted = useAnswer<{ lists: ListOfNode[] }>('/api/lists', { id });
  const isLive = useLive(asked);
  const noteWrite = (): void => {
    asked.again();
    counted.again();
  };
  const [written, after] = [parameters.get('written'), parameters.get('after')];
  const lists = counted.answer?.lists ?? [];
  return (
    <>
      <div class="node-head">
        <h1>
          {asked.answer?.name != null && <bdi>{asked.answer.name} </bdi>}
          <bdi class="key">{id}</bdi>
        </h1>
        {asked.answer !== undefined && <State node={asked.answer} />}
        <LiveMark isLive={isLive} />
      </div>
      <nav class="parts" aria-label="Parts of the node">
        {Object.entries(PARTS).map(([name, text]) => (
          <Link
            key={name}
            to={addressOf('/node', { id, part: name === 'node' ? undefined : name })}
            aria-current={name === part ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      <Lists {...{ model, id, lists }} listed={parameters.get('type')} />
      {written !== null && after !== null && (
        <LastWrite write={{ source: id, target: written, after: Number(after) }} onChange={noteWrite} />
      )}
      {part === 'compare' ? (
        <Compare id={id} asked={asked} other={parameters.get('with') ?? undefined} />
      ) : part === 'items' ? (
        <ItemsOfNode isWritable={model.isWritable} id={id} parameters={parameters} />
      ) : (
        <>
          <NodeItself {...{ model, id, asked }} onWritten={noteWrite} />
          {model.edges.some(({ from }) => from.includes(typeOf(id))) && (
            <Edges id={id} parameters={parameters}>
              {model.isWritable && asked.answer?.base != null && <AddEdge model={model} id={id} onDone={noteWrite} />}
            </Edges>
          )}
        </>
      )}
    </>
  );
}

function Lists({
  model,
  id,
  lists,
  listed,
}: Omit<NodePartProps, 'parameters'> & {
  lists: readonly ListOfNode[];
  listed: string | null;
}) {
  const own = typeOf(id);
  const leaving = model.edges.filter(({ from }) => from.includes(own));
  const entering = model.edges.filter(({ to, orders }) => to.includes(own) && orders.length > 0);
  const link = (type: string, direction: ListOfNode['direction']) => {
    const isOutgoing = direction === 'outgoing';
    const counted = lists.find((one) => one.type === type && one.direction === direction);
    return (
      <Link
        key={`${direction} ${type}`}
        to={isOutgoing ? addressOf('/node', { id, type }) : addressOf('/query', { type, id })}
        aria-current={isOutgoing && type === listed ? 'page' : undefined}
      >
        {type} {counted !== undefined && <strong>{countedText(counted)}</strong>}
      </Link>
    );
  };
  if (leaving.length + entering.length === 0) return null;
  return (
    <nav class="parts" aria-label="Lists of the node">
      {leaving.length > 0 && <span class="quiet">Outgoing</span>}
      {leaving.map(({ type }) => link(type, 'outgoing'))}
      {entering.length > 0 && <span class="quiet">Incoming</span>}
      {entering.map(({ type }) => link(type, 'incoming'))}
    </nav>
  );
}

/** An existing node without a view gets no badge unless something is wrong. */
function State({ node: { base, view, wrong, quarantined } }: { node: NodeAnswer }) {
  if (base === null && view === null) return <Badge kind="late">absent</Badge>;
  if (wrong.some(({ state }) => state === 'drift')) return <Badge kind="bad">drift</Badge>;
  if (quarantined.length > 0) return <Badge kind="bad">quarantined</Badge>;
  if (wrong.length > 0) return <Badge kind="late">behind</Badge>;
  return view === null ? null : <Badge kind="good">view up to date</Badge>;
}

function NodeItself({
  model,
  id,
  asked,
  onWritten,
}: Omit<NodePartProps, 'parameters'> & {
  asked: Asked<NodeAnswer>;
  onWritten: () => void;
}) {
  return (
    <AnswerOf asked={asked}>
      {({ base, parts, view, wrong, quarantined, edgeSetSize, left }) => (
        <div class="cards">
          <Wrong {...{ id, wrong, quarantined }} isWritable={model.isWritable} onRepaired={asked.again} />
          {base === null && (
            <Card title="Attributes">
              <p>This node doesn't exist.</p>
              {model.isWritable && <CreateNode id={id} onDone={onWritten} />}
            </Card>
          )}
          {Object.entries({ ...(base !== null && { [id]: base }), ...parts }).map(([target, attributes]) => (
            <Card key={target} title={target === id ? 'Attributes' : `Part ${target}`}>
              <Attributes attributes={attributes} />
              {model.isWritable && <Edit item={{ source: id, target, attributes }} onDone={onWritten} />}
            </Card>
          ))}
          {(base !== null || view !== null) && (
            <Card title="View">
              {view === null ? (
                <p class="quiet">{wrong.length === 0 ? 'Nothing is projected.' : 'The view is missing.'}</p>
              ) : (
                <Attributes attributes={view} />
              )}
              <p class="quiet">
                {countText(edgeSetSize, 'edge')} in the edge set
                {left.length > 0 && `; too many to keep there: ${left.join(', ')}`}.
              </p>
            </Card>
          )}
        </div>
      )}
    </AnswerOf>
  );
}

function Wrong({
  id,
  wrong,
  quarantined,
  isWritable,
  onRepaired,
}: Pick<NodeAnswer, 'id' | 'wrong' | 'quarantined'> & { isWritable: boolean; onRepaired: () => void }) {
  if (wrong.length + quarantined.length === 0) return null;
  return (
    <Card title="Problems" wide>
      <ul class="items">
        <Places parts={wrong} />
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

function Edges({ id, parameters, children }: Omit<NodePartProps, 'model'> & { children: ComponentChildren }) {
  const cursor = parameters.get('cursor') ?? undefined;
  const type = parameters.get('type') ?? undefined;
  const asked = useAnswer<Page<NamedEdge>>('/api/edges', { id, type, cursor });
  useLive(asked);
  return (
    <Card title={type === undefined ? 'Outgoing edges' : `Outgoing ${type} edges`}>
      {children}
      <p class="quiet">Sorted by key. Incoming lists can be sorted by the orders of the model.</p>
      <AnswerOf asked={asked}>
        {({ items, cursor: next }) => (
          <>
            <Grid
              label="Edges"
              idHeading="target"
              rows={items.map(({ target, type: own, ...edge }) => ({ ...edge, id: target, own: { type: own } }))}
              note={({ id: target, own }, row) => (
                <Why
                  id={target}
                  row={row}
                  isLater={cursor !== undefined}
                  isDescending={false}
                  by="outgoing edges are sorted by key"
                  writer={{ source: id, target: `${own.type}-${target}` }}
                  edgeTo={target}
                />
              )}
              empty="None."
            />
            <Pager next={next} />
          </>
        )}
      </AnswerOf>
    </Card>
  );
}
