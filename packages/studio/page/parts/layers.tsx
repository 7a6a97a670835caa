import { Graph, layout } from '@dagrejs/dagre';
import { useMemo } from 'preact/hooks';
import { Link } from '../base/place.tsx';

export interface Box {
  id: string;
  title: string;
  count?: string | undefined;
  kind: 'node' | 'edge';
  to: string;
  lines: { text: string; to: string }[];
}

export interface Way {
  from: string;
  to: string;
  hasHead: boolean;
}

/** In em. */
interface Point {
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

interface Layout extends Size {
  boxes: ReadonlyMap<string, Point & Size>;
  ways: readonly Point[][];
}

/** Lengths in em, as in page.css. Boxes have a monospaced font. */
const LETTER = 0.61;
const LINE = 1.6;
const PADDING = 0.6;
const MARGIN = 0.5;
const APART = { nodesep: 0.9, edgesep: 0.5, ranksep: 2.2 };
/** The usual canvas size, which decides the direction of the layers. */
const ROOM = { width: 80, height: 36 };

export function Layers({
  label,
  boxes,
  ways,
  chosen,
}: {
  label: string;
  boxes: readonly Box[];
  ways: readonly Way[];
  chosen: string | undefined;
}) {
  const laid = useMemo(() => layoutOf(boxes, ways), [boxes, ways]);
  const { width, height } = laid;
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a drawing with links
    <div class="plot" role="group" aria-label={label}>
      <div class="canvas" style={{ inlineSize: `${width}em`, blockSize: `${height}em` }}>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <marker id="head" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0,1 10,5 0,9z" />
          </marker>
          {ways.map(({ from, to, hasHead }, i) => (
            <polyline
              key={`${from} ${to}`}
              points={laid.ways[i]!.map(({ x, y }) => `${x},${y}`).join(' ')}
              marker-end={hasHead ? 'url(#head)' : undefined}
            />
          ))}
        </svg>
        {boxes.map((box) => (
          <Card key={box.id} box={box} laid={laid.boxes.get(box.id)!} isChosen={box.id === chosen} />
        ))}
      </div>
    </div>
  );
}

function layoutOf(boxes: readonly Box[], ways: readonly Way[]): Layout {
  const scaleOf = ({ width, height }: Size): number => Math.min(ROOM.width / width, ROOM.height / height);
  const [across, down] = (['LR', 'TB'] as const).map((rankdir) => {
    const graph = new Graph<object, Size, { points: Point[] }>();
    graph.setGraph({ rankdir, acyclicer: 'greedy', marginx: MARGIN, marginy: MARGIN, ...APART });
    for (const box of boxes) graph.setNode(box.id, sizeOf(box));
    for (const { from, to } of ways) graph.setEdge(from, to, {});
    layout(graph);
    return {
      ...(graph.graph() as Size),
      boxes: new Map(boxes.map(({ id }) => [id, graph.node(id) as Point & Size])),
      ways: ways.map(({ from, to }) => (graph.edge(from, to) as { points: Point[] }).points),
    };
  });
  return scaleOf(across!) >= scaleOf(down!) ? across! : down!;
}

function sizeOf({ title, count = '', lines }: Box): Size {
  const longest = Math.max(`${title} ${count}`.length, ...lines.map(({ text }) => text.length));
  return { width: longest * LETTER + 2 * PADDING, height: (1 + lines.length) * LINE };
}

function Card({ box, laid, isChosen }: { box: Box; laid: Point & Size; isChosen: boolean }) {
  const { title, count, kind, to, lines } = box;
  const { x, y, width, height } = laid;
  const place = {
    insetInlineStart: `${x - width / 2}em`,
    insetBlockStart: `${y - height / 2}em`,
    inlineSize: `${width}em`,
    blockSize: `${height}em`,
  };
  return (
    <div class={`box ${kind}`} style={place}>
      <Link to={to} class="title" aria-current={isChosen ? 'true' : undefined}>
        {title} <span>{count}</span>
      </Link>
      {lines.map((line) => (
        <Link key={line.text} to={line.to}>
          {line.text}
        </Link>
      ))}
    </div>
  );
}
