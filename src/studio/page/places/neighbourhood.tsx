import type { EChartsCoreOption } from 'echarts/core';
import { useCallback } from 'preact/hooks';
import type { NeighbourhoodAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { type Colours, Plot } from '../parts/plot.tsx';
import { Rows } from '../parts/rows.tsx';
import { Card, Told } from '../parts/told.tsx';

/** Edges of each type that are drawn. */
const DRAWN = 24;
/** Characters of an id in the drawing. */
const SHORT_ID = 24;

/** The nodes around a node, drawn; a picked one becomes the middle. */
export function Neighbourhood({ id }: { id: string }) {
  const asked = useAnswer<NeighbourhoodAnswer>('/api/neighbourhood', { id, limit: String(DRAWN) });
  return (
    <Card title="Neighbourhood">
      <Told asked={asked}>{(answer) => <Drawing answer={answer} />}</Told>
    </Card>
  );
}

function placeOf(id: string): string {
  return addressOf('/explore', { id, part: 'graph' });
}

function Drawing({ answer }: { answer: NeighbourhoodAnswer }) {
  const { id, outgoing, incoming, more } = answer;
  const option = useCallback((colours: Colours) => graphOf(answer, colours), [answer]);
  return (
    <>
      <Plot
        label={`${id} with ${outgoing.length} edges that leave it and ${incoming.length} that enter it; the list below says the same`}
        option={option}
        height="high"
        onPick={(name) => goTo(placeOf(name))}
      />
      {more.length > 0 && (
        <p class="quiet">
          There are more edges of {more.join(', ')} than the {DRAWN} that are drawn.
        </p>
      )}
      <Rows
        label="Neighbours"
        headings={['edge', 'leads', 'node']}
        rows={[
          ...outgoing.map(({ type, target }) => [type, 'to', <Neighbour id={target} />]),
          ...incoming.map(({ type, source }) => [type, 'from', <Neighbour id={source} />]),
        ]}
        empty="The node has no neighbours."
      />
    </>
  );
}

function Neighbour({ id }: { id: string }) {
  return (
    <Link to={placeOf(id)} class="key">
      <bdi>{id}</bdi>
    </Link>
  );
}

/** The node in the middle; to its right the nodes that it leads to, to its left those that lead to it. */
function graphOf({ id, outgoing, incoming }: NeighbourhoodAnswer, colours: Colours): EChartsCoreOption {
  const right = [...new Set(outgoing.map(({ target }) => target))].filter((one) => one !== id);
  const left = [...new Set(incoming.map(({ source }) => source))].filter((one) => one !== id && !right.includes(one));
  const node = (name: string, x: number, y: number, colour: string) => ({
    ...{ name, x, y, itemStyle: { color: colour } },
    symbolSize: name === id ? 22 : 13,
    label: {
      ...{ show: true, color: colours.text, position: x < 0 ? 'left' : x > 0 ? 'right' : 'top' },
      formatter: () => (name.length > SHORT_ID ? `${name.slice(0, SHORT_ID)}…` : name),
    },
  });
  const column = (names: readonly string[], side: -1 | 1, colour: string) =>
    names.map((name, i) => {
      const height = names.length === 1 ? 0 : 2 * (i / (names.length - 1)) - 1;
      return node(name, side * (130 + 50 * Math.sqrt(1 - height ** 2)), 150 * height, colour);
    });
  return {
    animation: false,
    tooltip: { show: false },
    series: [
      {
        ...{ type: 'graph', layout: 'none', roam: true, edgeSymbol: ['none', 'arrow'], edgeSymbolSize: 7 },
        ...{ left: '24%', right: '24%', top: 30, bottom: 24 },
        lineStyle: { color: colours.quiet, width: 1, opacity: 0.6 },
        data: [node(id, 0, 0, colours.accent), ...column(right, 1, colours.second), ...column(left, -1, colours.third)],
        links: [...outgoing, ...incoming].map(({ source, target }) => ({ source, target })),
      },
    ],
  };
}
