import { Graph, layout } from '@dagrejs/dagre';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { Arrow, cutToWidth, type Picture, type Point, type Room, widthOf } from './drawing.tsx';

/** A box of a drawing in layers. */
export interface Box {
  /** Its own among the boxes. */
  id: string;
  title: string;
  kind: 'node' | 'edge';
  /** The lines below its title. `search`: the search that a click opens. */
  lines: { text: string; search?: string }[];
}

/** An arrow from one box to another. */
export interface Way {
  from: string;
  to: string;
  hasHead: boolean;
}

/** In pixels. */
interface Size {
  width: number;
  height: number;
}

/** Where a box lies: its middle, and its size. */
type Laid = Point & Size;

interface Layout extends Size {
  boxes: Map<string, Laid>;
  ways: Point[][];
}

/** How much smaller than the page's letters those of a drawing may become; where that is not enough, it scrolls. */
const SMALLEST = 0.7;
/** The widest text of a box: in letters, and by the width of the room where layers lie one above the other. */
const MOST_WIDTH = 22;
const MOST_OF_ROOM = 0.6;
/** The heights of a title and of a line below it, in letters. */
const TITLE = 1.9;
const LINE = 1.5;
const PADDING = 0.7;
const SMALL = 0.85;
const HEAD = 0.6;
/** The least and the most room between two layers, in letters. */
const GAPS = { least: 2, most: 9 };

/** Draws boxes in layers, as wide as the room, from left to right, or from top to bottom where that shows them larger. */
export function drawLayers(room: Room, boxes: readonly Box[], ways: readonly Way[]): Picture {
  const { em } = room;
  const across = layoutLeftToRight(room, boxes, ways);
  const isLegible = across.width * SMALLEST <= room.width;
  const { width, height, boxes: laid, ways: lines } = isLegible ? across : layoutTopToBottom(room, boxes, ways);
  const scale = Math.min(1, Math.max(SMALLEST, room.width / width));
  // A drawing that is narrower than the room is centred.
  const left = Math.max(0, (room.width - width * scale) / 2);
  const content = (
    <g transform={`translate(${left} 0) scale(${scale})`}>
      {ways.map((way, i) => (
        <Arrow key={`${way.from} ${way.to}`} points={lines[i]!} size={way.hasHead ? HEAD * em : 0} />
      ))}
      {boxes.map((box) => (
        <Card key={box.id} box={box} laid={laid.get(box.id)!} em={em} />
      ))}
    </g>
  );
  return { width: Math.max(room.width, width * scale), height: height * scale, content };
}

/** From left to right, with the layers as far apart as fills the room. */
function layoutLeftToRight({ width, em }: Room, boxes: readonly Box[], ways: readonly Way[]): Layout {
  const own = boxesWithSizes(boxes, em, MOST_WIDTH * em);
  const least = layoutBoxes('LR', em, own, ways, GAPS.least);
  const gaps = new Set([...least.boxes.values()].map(({ x }) => Math.round(x))).size - 1;
  const spare = (width - least.width) / em;
  if (gaps < 1 || spare <= 0) return least;
  return layoutBoxes('LR', em, own, ways, Math.min(GAPS.most, GAPS.least + spare / gaps));
}

/** From top to bottom. */
function layoutTopToBottom({ width, em }: Room, boxes: readonly Box[], ways: readonly Way[]): Layout {
  const most = Math.min(MOST_WIDTH * em, width * MOST_OF_ROOM);
  return layoutBoxes('TB', em, boxesWithSizes(boxes, em, most), ways, GAPS.least);
}

/** Lays out boxes whose sizes are known. `gap`: between two layers, in letters. */
function layoutBoxes(
  direction: 'LR' | 'TB',
  em: number,
  boxes: readonly Sized[],
  ways: readonly Way[],
  gap: number,
): Layout {
  const graph = new Graph<object, Size, { points: Point[] }>();
  graph.setGraph({ rankdir: direction, nodesep: em, ranksep: gap * em, marginx: 2, marginy: em * 0.5 });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of ways) graph.setEdge(from, to, {});
  layout(graph);
  const { width, height } = graph.graph() as Size;
  return {
    width,
    height,
    boxes: new Map(boxes.map(({ id }) => [id, graph.node(id) as Laid])),
    ways: ways.map(({ from, to }) => (graph.edge(from, to) as { points: Point[] }).points),
  };
}

interface Sized extends Size {
  id: string;
}

/** As large as their texts, which are cut where they are wider than `most` pixels. */
function boxesWithSizes(boxes: readonly Box[], em: number, most: number): Sized[] {
  return boxes.map(({ id, title, lines }) => {
    const texts = [widthOf(title, em, 600), ...lines.map(({ text }) => widthOf(text, em * SMALL))];
    return {
      id,
      width: Math.min(most, Math.max(...texts)) + 2 * PADDING * em,
      height: (TITLE + (lines.length > 0 ? lines.length * LINE + 0.4 : 0)) * em,
    };
  });
}

function Card({ box: { title, kind, lines }, laid, em }: { box: Box; laid: Laid; em: number }) {
  const [left, top] = [laid.x - laid.width / 2, laid.y - laid.height / 2];
  const room = laid.width - 2 * PADDING * em + 1;
  const x = left + PADDING * em;
  return (
    <g class={`box ${kind}`}>
      <rect class="ground" x={left} y={top} width={laid.width} height={laid.height} rx={em * 0.35} />
      <rect class="title" x={left} y={top} width={laid.width} height={TITLE * em} rx={em * 0.35} />
      <text class="title" x={x} y={top + em * 1.3} font-size={em} font-weight={600}>
        <title>{title}</title>
        {cutToWidth(title, room, em, 600)}
      </text>
      {lines.map(({ text, search }, i) => {
        const shown = (
          <text key={text} x={x} y={top + (TITLE + 1.15 + i * LINE) * em} font-size={em * SMALL}>
            <title>{text}</title>
            {cutToWidth(text, room, em * SMALL)}
          </text>
        );
        if (search === undefined) return shown;
        return (
          <Link key={text} to={addressOf('/explore', { search })}>
            {shown}
          </Link>
        );
      })}
    </g>
  );
}
