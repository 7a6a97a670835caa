import { Graph, layout } from '@dagrejs/dagre';
import { useMemo } from 'preact/hooks';
import { Link } from '../base/place.tsx';

export interface Box {
  id: string;
  title: string;
  count?: string | undefined;
  kind: 'node' | 'edge';
  to: string;
  lines: { text: string; to?: string }[];
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

const MOST_CHARACTERS = 26;
/** Lengths below are in em. */
const TITLE = 1.9;
const LINE = 1.5;
const PADDING = 0.7;
const SMALL = 0.85;
const HEAD = { length: 0.6, half: 0.24 };
const APART = { layers: 2.2, boxes: 0.9 };
/** Larger drawings show titles only. */
const MOST_WITH_LINES = 30;
/** The usual canvas, which decides the direction of the layers. */
const ROOM = { width: 80, height: 36 };
/** Smallest scale; larger drawings scroll. */
const SMALLEST = 0.75;

/** `picked`: boxes in front; undefined: all. */
export function Layers({
  label,
  boxes,
  ways,
  picked,
  chosen,
}: {
  label: string;
  boxes: readonly Box[];
  ways: readonly Way[];
  picked: ReadonlySet<string> | undefined;
  chosen: string | undefined;
}) {
  const shown = useMemo(
    () => (boxes.length > MOST_WITH_LINES ? boxes.map((box) => ({ ...box, lines: [] })) : boxes),
    [boxes],
  );
  const laid = useMemo(() => layoutOf(shown, ways), [shown, ways]);
  const isBack = (...ids: string[]): boolean => picked !== undefined && !ids.every((id) => picked.has(id));
  const { width, height } = laid;
  return (
    <div class="plot">
      {/* biome-ignore lint/a11y/useSemanticElements: it is a drawing with links */}
      <svg
        role="group"
        aria-label={label}
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxInlineSize: `${width}em`, minInlineSize: `${width * SMALLEST}em` }}
      >
        {ways.map((way, i) => (
          <g key={`${way.from} ${way.to}`} class={isBack(way.from, way.to) ? 'back' : undefined}>
            <Arrow points={laid.ways[i]!} hasHead={way.hasHead} />
          </g>
        ))}
        {shown.map((box) => (
          <Card
            key={box.id}
            box={box}
            laid={laid.boxes.get(box.id)!}
            state={box.id === chosen ? 'chosen' : isBack(box.id) ? 'back' : ''}
          />
        ))}
      </svg>
    </div>
  );
}

/** Takes the direction that shows larger boxes. */
function layoutOf(boxes: readonly Box[], ways: readonly Way[]): Layout {
  const scaleOf = ({ width, height }: Size): number => Math.min(ROOM.width / width, ROOM.height / height);
  const [across, down] = (['LR', 'TB'] as const).map((rankdir) => {
    const graph = new Graph<object, Size, { points: Point[] }>();
    const margins = { marginx: 0.5, marginy: 0.5 };
    graph.setGraph({
      rankdir,
      acyclicer: 'greedy',
      nodesep: APART.boxes,
      edgesep: 0.5,
      ranksep: APART.layers,
      ...margins,
    });
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

function sizeOf({ title, count, lines }: Box): Size {
  const texts = lines.map(({ text }) => widthOf(cut(text)) * SMALL);
  const heading = widthOf(cut(title), 600) + (count === undefined ? 0 : widthOf(count) * SMALL + PADDING);
  return {
    width: Math.max(heading, ...texts) + 2 * PADDING,
    height: TITLE + (lines.length > 0 ? lines.length * LINE + 0.4 : 0),
  };
}

function Card({ box, laid, state }: { box: Box; laid: Point & Size; state: string }) {
  const { title, count, kind, to, lines } = box;
  const { width, height } = laid;
  const [left, top] = [laid.x - width / 2, laid.y - height / 2];
  const x = left + PADDING;
  const corner = kind === 'edge' ? TITLE / 2 : 0.35;
  return (
    <g class={`box ${kind} ${state}`}>
      <rect class="ground" x={left} y={top} width={width} height={height} rx={corner} />
      <Link to={to} aria-current={state === 'chosen' ? 'true' : undefined}>
        <rect class="title" x={left} y={top} width={width} height={TITLE} rx={corner} />
        <text class="title" x={x} y={top + 1.3} font-size={1} font-weight={600}>
          <title>{title}</title>
          {cut(title)}
        </text>
        {count !== undefined && (
          <text class="title count" x={left + width - PADDING} y={top + 1.3} text-anchor="end" font-size={SMALL}>
            {count}
          </text>
        )}
      </Link>
      {lines.map((line, i) => {
        const text = (
          <text key={line.text} x={x} y={top + TITLE + 1.15 + i * LINE} font-size={SMALL}>
            <title>{line.text}</title>
            {cut(line.text)}
          </text>
        );
        if (line.to === undefined) return text;
        return (
          <Link key={line.text} to={line.to}>
            {text}
          </Link>
        );
      })}
    </g>
  );
}

function Arrow({ points, hasHead }: { points: readonly Point[]; hasHead: boolean }) {
  const tip = points.at(-1)!;
  const before = points.at(-2)!;
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const length = hasHead ? HEAD.length : 0;
  const end = { x: tip.x - length * Math.cos(angle), y: tip.y - length * Math.sin(angle) };
  const turns = points.slice(1, -1).map((turn, i) => {
    const next = points[i + 2]!;
    const halfway = next === tip ? end : { x: (turn.x + next.x) / 2, y: (turn.y + next.y) / 2 };
    return `Q${turn.x},${turn.y} ${halfway.x},${halfway.y}`;
  });
  return (
    <>
      <path class="arrow" d={`M${points[0]!.x},${points[0]!.y}${turns.join('') || `L${end.x},${end.y}`}`} />
      {hasHead && (
        <polygon
          class="head"
          points={`${HEAD.length},0 0,${HEAD.half} 0,${-HEAD.half}`}
          transform={`translate(${end.x} ${end.y}) rotate(${(angle * 180) / Math.PI})`}
        />
      )}
    </>
  );
}

/** By code points. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…` : text;
}

const MEASURED = 100;
let pen: CanvasRenderingContext2D | undefined;

function widthOf(text: string, weight = 400): number {
  pen ??= document.createElement('canvas').getContext('2d')!;
  pen.font = `${weight} ${MEASURED}px ${getComputedStyle(document.documentElement).fontFamily}`;
  return pen.measureText(text).width / MEASURED;
}
