import { useCallback } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedTotal } from '../../base/describe-model.ts';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { Drawing, type Room } from '../parts/drawing.tsx';
import { type Box, drawLayers, type Way } from '../parts/layers.tsx';
import { Rows } from '../parts/rows.tsx';

/** The model as a graph, and the same in a list. */
export function ModelGraph({ model }: { model: ModelAnswer }) {
  const draw = useCallback((room: Room) => drawLayers(room, boxesOf(model), waysOf(model)), [model]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <Drawing
        label={`The model as a graph of the node types ${types}; the lists below say the same`}
        hasLinks
        draw={draw}
      />
      <details>
        <summary>The model as lists</summary>
        <Rows
          label="Node types"
          headings={['node type', 'view', 'searches']}
          rows={model.nodes.map(({ type, view, searches: own }) => [
            type,
            view,
            own.map(({ name }) => (
              <span key={name}>
                <Link to={addressOf('/explore', { search: name })}>{name}</Link>{' '}
              </span>
            )),
          ])}
        />
        <Rows
          label="Edge types"
          headings={['edge type', 'from', 'to', 'edge set', 'orders', 'totals']}
          rows={model.edges.map(({ type, from, to, labels, orders, isCounted, totals }) => [
            type,
            from.join(', '),
            to.join(', '),
            labels === undefined ? 'left out' : ['target', ...labels].join(', '),
            orders.map((order) => `${order.name}: ${order.from}`).join('; ') || 'none',
            [...(isCounted ? ['number'] : []), ...Object.values(totals).flatMap(totalNames)].join(', ') || 'none',
          ])}
          empty="The model has no edge types."
        />
      </details>
    </>
  );
}

/** The names of sums and groups. */
function totalNames({ sums, groups }: DescribedTotal): string[] {
  return [...sums, ...groups.map((name) => `by ${name}`)];
}

/** Node types with their searches, and edge types with their orders between them. */
function boxesOf({ nodes, edges }: ModelAnswer): Box[] {
  return [
    ...nodes.map(({ type, searches }): Box => {
      const lines = searches.map(({ name }) => ({ text: name.slice(type.length + 1), search: name }));
      return { id: nodeBox(type), title: type, kind: 'node', lines };
    }),
    ...edges.map(({ type, orders }): Box => {
      const lines = orders.map(({ name, from }) => ({ text: `${name}: ${from}` }));
      return { id: edgeBox(type), title: type, kind: 'edge', lines };
    }),
  ];
}

/** From the node types that an edge type leaves, through it, to those that it enters. */
function waysOf({ edges }: ModelAnswer): Way[] {
  return edges.flatMap(({ type, from, to }) => [
    ...from.map((one) => ({ from: nodeBox(one), to: edgeBox(type), hasHead: false })),
    ...to.map((one) => ({ from: edgeBox(type), to: nodeBox(one), hasHead: true })),
  ]);
}

// Types of nodes and of edges may have the same name.
const nodeBox = (type: string): string => `node ${type}`;
const edgeBox = (type: string): string => `edge ${type}`;
