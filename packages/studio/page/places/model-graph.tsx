import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedTotal } from '../../base/describe-model.ts';
import type { Movement } from '../../base/flow.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { type LiveFlow, useFlow } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Canvas } from '../parts/canvas.tsx';
import type { CanvasRoom } from '../parts/canvas-view.ts';
import { type Box, Layers, type Layout, layoutInLayers, pathAlong, type Way } from '../parts/layers.tsx';
import { Rows } from '../parts/rows.tsx';
import { PickedType } from './picked-type.tsx';

/** How often the counts are asked for again; the studio reads a large sample more seldom. */
const SAMPLED_MS = 15_000;

/** The properties of the drawn model. */
export interface ModelGraphProps {
  model: ModelAnswer;
  /** The box that is picked: `node USER`, `edge MEMBER`. */
  chosen: string | undefined;
}

/** The model as a graph with what is in the table and what moves, and the same in a list. */
export function ModelGraph({ model, chosen }: ModelGraphProps) {
  const { answer: sample, again } = useAnswer<SampleAnswer>('/api/sample');
  const flow = useFlow();
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, SAMPLED_MS);
    return () => clearInterval(timer);
  }, [again]);
  const boxes = useMemo(() => boxesOf(model, sample), [model, sample]);
  const ways = useMemo(() => waysOf(model), [model]);
  const lay = useCallback((room: CanvasRoom) => layoutInLayers(room, boxes, ways), [boxes, ways]);
  const isKnown = boxes.some(({ id }) => id === chosen);
  const picked = useMemo(() => (isKnown ? nextTo(ways, chosen!) : undefined), [ways, chosen, isKnown]);
  const middle = isKnown ? chosen! : busiest(ways);
  const focus = useCallback((layout: Layout) => layout.boxes.get(middle), [middle]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <ul class="types narrow" aria-label="Node types">
        {boxes
          .filter(({ kind }) => kind === 'node')
          .map(({ id, title, count, to }) => (
            <li key={id}>
              <Link to={to} aria-current={id === chosen ? 'true' : undefined}>
                <span>{title}</span> <strong>{count}</strong>
              </Link>
            </li>
          ))}
      </ul>
      <Canvas
        name="Drawing of the model"
        label={`The model as a graph of the node types ${types}; the lists below say the same`}
        lay={lay}
        focus={focus}
      >
        {(layout) => (
          <>
            <Layers layout={layout} boxes={boxes} ways={ways} picked={picked} chosen={chosen} />
            <Moving layout={layout} ways={ways} flow={flow} />
          </>
        )}
      </Canvas>
      <p class="quiet under-canvas">
        <span>
          {countText(model.nodes.length, 'node type')}, {countText(model.edges.length, 'edge type')}
          {sample !== undefined && sample.precision !== 'exact' && (
            <>, estimated by {figureText(sample.itemsRead)} items</>
          )}
        </span>
        <LiveLine flow={flow} />
      </p>
      {isKnown && <PickedType model={model} sample={sample} chosen={chosen!} />}
      <ModelLists model={model} />
    </>
  );
}

function LiveLine({ flow }: { flow: LiveFlow | undefined }) {
  if (flow === undefined) return null;
  if (flow.failure !== null) return <span>The studio could not read the stream and tries again: {flow.failure}</span>;
  if (!flow.hasStream) return <span>The table has no stream.</span>;
  return (
    <span class={flow.perSecond > 0 ? 'flowing moves' : 'flowing'}>
      {figureText(Math.round(flow.perSecond))} changes/s, {figureText(Math.round(flow.derivedPerSecond))} derived/s
    </span>
  );
}

/** Circles that one change in the stream sends along an edge at most. */
const MOST_DOTS = 5;
/** Seconds between two of them. */
const DOTS_APART = 0.16;
/** Answers whose changes are drawn: a circle on its way arrives. */
const KEPT_TICKS = 3;

/** Circles that run along the edges which are written, and nodes that light up. */
function Moving({ layout, ways, flow }: { layout: Layout; ways: readonly Way[]; flow: LiveFlow | undefined }) {
  const kept = useRef<LiveFlow[]>([]);
  if (flow !== undefined && flow.moved.length > 0 && kept.current.at(-1)?.tick !== flow.tick) {
    kept.current = [...kept.current, flow].slice(-KEPT_TICKS);
  }
  return (
    <g class="flow">
      {kept.current.map(({ tick, moved }) => (
        <g key={tick}>
          {moved.map((movement) => (
            <Moved key={`${movement.type} ${movement.from} ${movement.to}`} {...{ layout, ways, movement }} />
          ))}
        </g>
      ))}
    </g>
  );
}

function Moved({ layout, ways, movement }: { layout: Layout; ways: readonly Way[]; movement: Movement }) {
  const { kind, type, from, to, count } = movement;
  if (kind === 'node') {
    const laid = layout.boxes.get(nodeBox(type));
    if (laid === undefined) return null;
    const { x, y, width, height } = laid;
    return (
      <rect class="pulse" x={x - width / 2} y={y - height / 2} width={width} height={height} rx={layout.em * 0.35} />
    );
  }
  const path = pathAlong(layout, ways, nodeBox(from), edgeBox(type), nodeBox(to));
  if (path === '') return null;
  return (
    <>
      {Array.from({ length: Math.min(count, MOST_DOTS) }, (_, i) => (
        <circle
          key={i}
          r={layout.em * 0.28}
          style={{ offsetPath: `path("${path}")`, animationDelay: `${i * DOTS_APART}s` }}
        />
      ))}
    </>
  );
}

function ModelLists({ model }: { model: ModelAnswer }) {
  return (
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
  );
}

/** The names of sums and groups. */
function totalNames({ sums, groups }: DescribedTotal): string[] {
  return [...sums, ...groups.map((name) => `by ${name}`)];
}

/** Node types with their searches, and edge types with their orders between them. */
function boxesOf({ nodes, edges }: ModelAnswer, sample: SampleAnswer | undefined): Box[] {
  const countOf = (count: number | undefined): string | undefined =>
    sample === undefined || count === undefined ? undefined : sampledText(count, sample);
  return [
    ...nodes.map(({ type, searches }): Box => {
      const lines = searches.map(({ name }) => {
        return { text: name.slice(type.length + 1), to: addressOf('/explore', { search: name }) };
      });
      const id = nodeBox(type);
      return { id, title: type, count: countOf(sample?.nodes[type]?.count), kind: 'node', to: placeOf(id), lines };
    }),
    ...edges.map(({ type, orders }): Box => {
      const lines = orders.map(({ name, from }) => ({ text: `${name}: ${from}` }));
      const id = edgeBox(type);
      return { id, title: type, count: countOf(sample?.edges[type]?.count), kind: 'edge', to: placeOf(id), lines };
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

/** The node type that most edge types leave or enter. */
function busiest(ways: readonly Way[]): string {
  const counts = new Map<string, number>();
  for (const id of ways.flatMap(({ from, to }) => [from, to])) {
    if (!id.startsWith(EDGE)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as [string, number])[0];
}

/** A box, what it is connected with, and the other ends of the edges of a node. */
function nextTo(ways: readonly Way[], chosen: string): ReadonlySet<string> {
  const around = (ids: ReadonlySet<string>): string[] =>
    ways.flatMap(({ from, to }) => (ids.has(from) ? [to] : ids.has(to) ? [from] : []));
  const first = new Set([chosen, ...around(new Set([chosen]))]);
  if (chosen.startsWith(EDGE)) return first;
  const edges = new Set([...first].filter((id) => id.startsWith(EDGE)));
  return new Set([...first, ...around(edges)]);
}

const EDGE = 'edge ';
// Types of nodes and of edges may have the same name.
const nodeBox = (type: string): string => `node ${type}`;
const edgeBox = (type: string): string => EDGE + type;
const placeOf = (box: string): string => addressOf('/', { picked: box });
