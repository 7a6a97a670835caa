import type { EdgeResult, Page } from '../../../client/read/request/result.ts';
import { figureText } from '../../../foundation/figure.ts';
import type { NodeAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link, NodeLink } from '../base/place.tsx';
import { AttributeRows, PagedRows } from '../parts/paged-rows.tsx';
import { Badge, Card, type NodePartProps, Told } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { Attributes } from '../parts/value.tsx';
import { Inbound } from './inbound.tsx';
import { Neighbourhood } from './neighbourhood.tsx';

const PARTS = { node: 'Node', edges: 'Edges', inbound: 'Inbound', graph: 'Neighbourhood' } as const;

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
        <Edges id={id} parameters={parameters} />
      ) : part === 'inbound' ? (
        <Inbound model={model} id={id} parameters={parameters} />
      ) : part === 'graph' ? (
        <Neighbourhood id={id} />
      ) : (
        <NodeItself model={model} id={id} />
      )}
    </>
  );
}

function NodeItself({ model, id }: Omit<NodePartProps, 'parameters'>) {
  const asked = useAnswer<NodeAnswer>('/api/node', { id });
  return (
    <Told asked={asked}>
      {({ base, parts, view, edgeSet, edgeSetSize }) => (
        <>
          <Card title="Attributes">
            {base === null ? (
              <p>
                <Badge kind="late">absent</Badge> There is no such node.
              </p>
            ) : (
              <Attributes attributes={base} />
            )}
          </Card>
          {Object.entries(parts).map(([name, attributes]) => (
            <Card key={name} title={`Part ${name}`}>
              <Attributes attributes={attributes} />
            </Card>
          ))}
          <Card title="View">
            {view === null ? <p class="quiet">Nothing of the node is projected.</p> : <Attributes attributes={view} />}
          </Card>
          {hasTotals(model, id) && (
            <Card title="Totals">
              <Totals id={id} />
            </Card>
          )}
          <Card title={`Edge set, ${figureText(edgeSetSize)} elements`}>
            <AttributeRows
              label="Edge set"
              items={edgeSet}
              own={{ headings: ['type', 'target'], row: ({ type, target }) => [type, <NodeLink id={target} />] }}
              attributesOf={({ type: _type, target: _target, ...labels }) => labels}
              empty="The edge set is empty."
            />
            {edgeSetSize > edgeSet.length && (
              <p class="quiet">
                The first {figureText(edgeSet.length)} of {figureText(edgeSetSize)}; Edges has them all, page by page.
              </p>
            )}
          </Card>
        </>
      )}
    </Told>
  );
}

/** Whether the model keeps a number of edges that enter or leave nodes of this type. */
function hasTotals({ edges }: NodePartProps['model'], id: string): boolean {
  const type = id.slice(0, id.indexOf('-'));
  return edges.some(
    ({ from, to, totals, isCounted }) =>
      (totals.inbound !== undefined && to.includes(type)) || (isCounted && from.includes(type)),
  );
}

function Edges({ id, parameters }: { id: string; parameters: URLSearchParams }) {
  const cursor = parameters.get('cursor') ?? undefined;
  const asked = useAnswer<Page<EdgeResult>>('/api/edges', { id, cursor });
  return (
    <Card title="Edges that leave the node">
      <PagedRows
        {...{ asked, cursor, path: '/explore', parameters: { id, part: 'edges' } }}
        label="Edges"
        headings={['type', 'target']}
        row={({ type, target }) => [type, <NodeLink id={target} />]}
        attributesOf={({ attributes }) => attributes}
        empty="No edge leaves the node."
      />
    </Card>
  );
}
