import { useState } from 'preact/hooks';
import type { EdgeResult, Page } from '../../../../src/client/read/request/result.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { NodeAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { Create } from '../items/create.tsx';
import { PlaceState } from '../items/item.tsx';
import { RepairNode } from '../items/repair-node.tsx';
import { type Column, Grid } from '../parts/grid.tsx';
import { PagedRows } from '../parts/paged-rows.tsx';
import { Counted } from '../parts/price.tsx';
import { Badge, Card, LiveMark, type NodePartProps, Told } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { Attributes } from '../parts/value.tsx';
import { Compare } from './compare.tsx';
import { Inbound } from './inbound.tsx';
import { Neighbourhood } from './neighbourhood.tsx';

const PARTS = { node: 'Node', edges: 'Edges', inbound: 'Inbound', graph: 'Neighbourhood', compare: 'Compare' } as const;

/** A node and what is around it; each part has its address. */
export function NodeView({ model, id, parameters }: NodePartProps) {
  const part = parameters.get('part') ?? 'node';
  return (
    <>
      <h2 class="key">
        <bdi>{id}</bdi>
      </h2>
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
        <Link to={addressOf('/inspect', { id })}>Inspect</Link>
      </nav>
      {part === 'edges' ? (
        <Edges model={model} id={id} parameters={parameters} />
      ) : part === 'inbound' ? (
        <Inbound model={model} id={id} parameters={parameters} />
      ) : part === 'graph' ? (
        <Neighbourhood model={model} id={id} />
      ) : part === 'compare' ? (
        <Compare model={model} id={id} parameters={parameters} />
      ) : (
        <NodeItself model={model} id={id} />
      )}
    </>
  );
}

/** The columns of edges that leave a node. */
const EDGE_COLUMNS: Column<{ type: string; target: string }>[] = [
  { name: 'type', valueOf: ({ type }) => type },
  { name: 'target', valueOf: ({ target }) => target, node: 'end' },
];

/** Elements of the edge set that are shown, and those that are shown more at a time. */
const FIRST = 50;
const MORE = 100;

/** Milliseconds until a node that is behind is read again. */
const BEHIND_MS = 2_000;

function NodeItself({ model, id }: Omit<NodePartProps, 'parameters'>) {
  const [shown, setShown] = useState(FIRST);
  const asked = useAnswer<NodeAnswer>('/api/node', { id });
  const touches = useTouches({ sources: [id] });
  useAskedAgain(asked, touches.count);
  const isBehind = asked.answer?.wrong.some(({ state }) => state === 'lag');
  // No write tells that a difference is drift, and no lag.
  useAskedLater(asked, isBehind ? BEHIND_MS : undefined);
  return (
    <>
      <LiveMark live={touches} />
      <Told asked={asked}>
        {({ base, parts, view, wrong, edgeSet, edgeSetSize, left }) => (
          <>
            <State id={id} wrong={wrong} isWritable={model.isWritable} onRepaired={asked.again} />
            <Card title="Attributes">
              {base === null ? (
                <>
                  <p>
                    <Badge kind="late">absent</Badge> There is no such node.
                  </p>
                  {model.isWritable && <Create id={id} onDone={asked.again} />}
                </>
              ) : (
                <Attributes attributes={base} />
              )}
            </Card>
            {Object.entries(parts).map(([name, attributes]) => (
              <Card key={name} title={`Part ${name}`}>
                <Attributes attributes={attributes} />
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
                <Totals id={id} touches={touches.count} />
              </Card>
            )}
            <Card title={`Edge set, ${countText(edgeSetSize, 'element')}`}>
              <Grid
                label="Edge set"
                items={edgeSet.slice(0, shown)}
                own={EDGE_COLUMNS}
                attributesOf={({ type: _type, target: _target, ...labels }) => labels}
                empty={left.length === 0 ? 'The edge set is empty.' : 'The edge set has no other types.'}
              />
              <LeftTypes id={id} left={left} />
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
    </>
  );
}

/** What is wrong about a node; nothing where all is right. */
function State({
  id,
  wrong,
  isWritable,
  onRepaired,
}: Pick<NodeAnswer, 'id' | 'wrong'> & { isWritable: boolean; onRepaired: () => void }) {
  if (wrong.length === 0) return null;
  return (
    <Card title="Problems">
      <ul class="parts-list">
        {wrong.map((part) => (
          <li key={`${part.name} ${part.target}`}>
            <PlaceState part={part} />
          </li>
        ))}
      </ul>
      {isWritable && wrong.some(({ state }) => state === 'drift') && <RepairNode id={id} onDone={onRepaired} />}
    </Card>
  );
}

/** The edge types that left the set, with the way to their edges. */
function LeftTypes({ id, left }: Pick<NodeAnswer, 'id' | 'left'>) {
  return (
    <>
      {left.map(({ type, ...counted }) => (
        <p key={type} class="row">
          <span>
            {type} edges are too many for the set:{' '}
            <Counted id={id} type={type} direction="outgoing" counted={counted} />
          </span>
          <Link to={addressOf('/explore', { id, part: 'edges', type })}>Page by page</Link>
        </p>
      ))}
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

function Edges({ model, id, parameters }: NodePartProps) {
  const cursor = parameters.get('cursor') ?? undefined;
  const type = parameters.get('type') ?? undefined;
  const asked = useAnswer<Page<EdgeResult>>('/api/edges', { id, type, cursor });
  const touches = useTouches({ sources: [id] });
  useAskedAgain(asked, touches.count);
  const own = id.slice(0, id.indexOf('-'));
  const leaving = model.edges.filter(({ from }) => from.includes(own));
  const place = { id, part: 'edges', type };
  return (
    <Card title="Edges that leave the node">
      <nav class="parts" aria-label="Edge types">
        {[undefined, ...leaving.map((edge) => edge.type)].map((one) => (
          <Link
            key={one ?? ''}
            to={addressOf('/explore', { ...place, type: one })}
            aria-current={one === type ? 'page' : undefined}
          >
            {one ?? 'all types'}
          </Link>
        ))}
      </nav>
      <LiveMark live={touches} />
      <p class="quiet">
        They are in the order of their keys, which no model changes: an order is of the edges that enter a node.
      </p>
      <PagedRows
        {...{ asked, cursor, path: '/explore', parameters: place }}
        label="Edges"
        own={EDGE_COLUMNS}
        attributesOf={({ attributes }) => attributes}
        empty="No edge leaves the node."
      />
    </Card>
  );
}
