import type { EChartsCoreOption } from 'echarts/core';
import { useCallback } from 'preact/hooks';
import type { ModelAnswer } from '../../api/overview.ts';
import { addressOf } from '../base/address.ts';
import { goTo, Link } from '../base/place.tsx';
import { type Colours, Plot } from '../parts/plot.tsx';
import { Rows } from '../parts/rows.tsx';

/** The model as a graph, and the same in a list. */
export function ModelGraph({ model }: { model: ModelAnswer }) {
  const option = useCallback((colours: Colours) => graphOf(model, colours), [model]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  const searches = model.nodes.flatMap((node) => node.searches);
  return (
    <>
      <Plot
        label={`The model as a graph of the node types ${types}; the lists below say the same`}
        option={option}
        height="middle"
        onPick={(name) => {
          if (searches.some((search) => search.name === name)) goTo(addressOf('/explore', { search: name }));
        }}
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
          headings={['edge type', 'from', 'to', 'edge set', 'orders']}
          rows={model.edges.map(({ type, from, to, labels, orders }) => [
            type,
            from.join(', '),
            to.join(', '),
            labels === undefined ? 'left out' : ['target', ...labels].join(', '),
            orders.map((order) => `${order.name}: ${order.from}`).join('; ') || 'none',
          ])}
          empty="The model has no edge types."
        />
      </details>
    </>
  );
}

interface Drawn {
  name: string;
  text: string;
  kind: 'node' | 'edge' | 'search' | 'order';
}

/** Node types, edge types between them, searches at their node types, orders at their edge types. */
function graphOf({ nodes, edges }: ModelAnswer, colours: Colours): EChartsCoreOption {
  const drawn: Drawn[] = [];
  const links: { source: string; target: string; isArrow: boolean }[] = [];
  for (const { type, searches } of nodes) {
    drawn.push({ name: type, text: type, kind: 'node' });
    for (const { name } of searches) {
      drawn.push({ name, text: name.slice(type.length + 1), kind: 'search' });
      links.push({ source: type, target: name, isArrow: false });
    }
  }
  for (const { type, from, to, orders } of edges) {
    // Types of nodes and of edges may have the same name.
    const own = `edge ${type}`;
    drawn.push({ name: own, text: type, kind: 'edge' });
    for (const one of from) links.push({ source: one, target: own, isArrow: false });
    for (const one of to) links.push({ source: own, target: one, isArrow: true });
    for (const { name, from: value } of orders) {
      drawn.push({ name: `${own} ${name}`, text: `${name}: ${value}`, kind: 'order' });
      links.push({ source: own, target: `${own} ${name}`, isArrow: false });
    }
  }
  return {
    animation: false,
    tooltip: { show: false },
    series: [
      {
        ...{ type: 'graph', layout: 'force', roam: false, draggable: true, edgeSymbolSize: 9 },
        ...{ top: 24, bottom: 24, left: '12%', right: '12%' },
        // The same beginning gives the same picture.
        force: { repulsion: 500, edgeLength: [50, 100], gravity: 0.1, layoutAnimation: false },
        lineStyle: { color: colours.quiet, width: 1.4, curveness: 0.06 },
        data: drawn.map((one, i) => ({ ...lookOf(one, colours), ...startOf(i, drawn.length) })),
        links: links.map(({ source, target, isArrow }) => ({
          ...{ source, target, symbol: ['none', isArrow ? 'arrow' : 'none'] },
        })),
      },
    ],
  };
}

function startOf(i: number, count: number): { x: number; y: number } {
  const angle = (2 * Math.PI * i) / count;
  return { x: 300 * Math.cos(angle) + i, y: 160 * Math.sin(angle) };
}

function lookOf({ name, text, kind }: Drawn, colours: Colours) {
  const isType = kind === 'node' || kind === 'edge';
  const fill = { node: colours.accent, edge: colours.second, search: colours.line, order: colours.line }[kind];
  return {
    name,
    symbol: 'rect',
    symbolSize: [text.length * (isType ? 8.4 : 7.2) + 18, isType ? 30 : 24],
    itemStyle: { color: fill },
    label: {
      ...{ show: true, formatter: () => text, fontSize: isType ? 13 : 12, fontWeight: isType ? 600 : 400 },
      color: isType ? colours.surface : colours.text,
    },
  };
}
