import { Graph, layout } from '@dagrejs/dagre';
import { Link } from '../base/place.tsx';
import { Arrow, cutToWidth, type Point, type Room, type Size, widthOf } from './drawing.tsx';

/** A box of a drawing in layers. */
export interface Box {
  /** Its own among the boxes. */
  id: string;
  title: string;
  /** Behind the title: how many there are. */
  count?: string | undefined;
  kind: 'node' | 'edge';
  /** Where a click on its title goes. */
  to: string;
  /** The lines below its title. `to`: where a click goes. */
  lines: { text: string; to?: string }[];
}

/** An arrow from one box to another. */
export interface Way {
  from: string;
  to: string;
  hasHead: boolean;
}

/** Where a box lies: its middle, and its size. */
type Laid = Point & Size;

/** A drawing in layers that is laid out. */
export interface Layout extends Size {
  boxes: ReadonlyMap<string, Laid>;
  ways: readonly Point[][];
  /** True if the boxes have their lines. */
  hasLines: boolean;
  /** The size of a letter, in pixels. */
  em: number;
}

/** The widest text of a box, in letters. */
const MOST_WIDTH = 22;
/** The heights of a title and of a line below it, in letters. */
const TITLE = 1.9;
const LINE = 1.5;
const PADDING = 0.7;
const SMALL = 0.85;
const HEAD = 0.6;
/** Between two layers, and between two boxes of one, in letters: of boxes with their lines, and of boxes without. */
const APART = { withLines: { layers: 2.4, boxes: 1 }, without: { layers: 1.7, boxes: 0.7 } };
/** Boxes are shown with their lines only if that shows letters of at least this size, by those of the page. */
const LEGIBLE = 0.72;
/** More boxes than these have no lines: the box that one picks tells them. */
const MOST_WITH_LINES = 30;

/**
 * Lays out boxes in layers. Tries both directions, and returns the layout with the largest scale. Leaves out the lines of the boxes if letters
 * would be too small.
 */
export function layoutInLayers(room: Room, boxes: readonly Box[], ways: readonly Way[]): Layout {
  const scaleOf = ({ width, height }: Size): number => Math.min(room.width / width, room.height / height);
  const both = (hasLines: boolean): Layout => {
    const [across, down] = [true, false].map((isAcross) => layoutBoxes(isAcross, room, boxes, ways, hasLines));
    return scaleOf(across!) >= scaleOf(down!) ? across! : down!;
  };
  const whole = boxes.length > MOST_WITH_LINES ? undefined : both(true);
  return whole !== undefined && scaleOf(whole) >= LEGIBLE ? whole : both(false);
}

function layoutBoxes(
  isAcross: boolean,
  { em, width: roomWidth }: Room,
  boxes: readonly Box[],
  ways: readonly Way[],
  hasLines: boolean,
): Layout {
  const graph = new Graph<object, Size, { points: Point[] }>();
  const gaps = hasLines ? APART.withLines : APART.without;
  const apart = { nodesep: gaps.boxes * em, edgesep: em * 0.5, ranksep: gaps.layers * em };
  const margin = em * 0.5;
  graph.setGraph({
    ...{ rankdir: isAcross ? 'LR' : 'TB', acyclicer: 'greedy', marginx: margin, marginy: margin },
    ...apart,
  });
  const most = Math.min(MOST_WIDTH * em, roomWidth * 0.6);
  for (const box of boxes) graph.setNode(box.id, sizeOf(box, em, most, hasLines));
  for (const { from, to } of ways) graph.setEdge(from, to, {});
  layout(graph);
  const { width, height } = graph.graph() as Size;
  return {
    ...{ width, height, hasLines, em },
    boxes: new Map(boxes.map(({ id }) => [id, graph.node(id) as Laid])),
    ways: ways.map(({ from, to }) => (graph.edge(from, to) as { points: Point[] }).points),
  };
}

/** The room of a title with the count behind it, of which letters are smaller. */
function countWidth({ count }: Box, em: number): number {
  return count === undefined ? 0 : widthOf(count, em * SMALL) + em * 0.7;
}

/** As large as its texts, which are cut where they are wider than `most` pixels. */
function sizeOf(box: Box, em: number, most: number, hasLines: boolean): Size {
  const lines = hasLines ? box.lines : [];
  const title = widthOf(box.title, em, 600) + countWidth(box, em);
  const texts = [title, ...lines.map(({ text }) => widthOf(text, em * SMALL))];
  return {
    width: Math.min(most, Math.max(...texts)) + 2 * PADDING * em,
    height: (TITLE + (lines.length > 0 ? lines.length * LINE + 0.4 : 0)) * em,
  };
}

/** The properties of drawn layers. */
export interface LayersProps {
  layout: Layout;
  boxes: readonly Box[];
  ways: readonly Way[];
  /** Boxes that are not to stand back; undefined: none is. */
  picked: ReadonlySet<string> | undefined;
  /** The one that was picked. */
  chosen: string | undefined;
}

/** Draws boxes that are laid out, and the arrows between them. */
export function Layers({
  layout: { boxes: laid, ways: lines, hasLines, em },
  boxes,
  ways,
  picked,
  chosen,
}: LayersProps) {
  const isBack = (...ids: string[]): boolean => picked !== undefined && !ids.every((id) => picked.has(id));
  return (
    <>
      {ways.map((way, i) => (
        <g key={`${way.from} ${way.to}`} class={isBack(way.from, way.to) ? 'back' : undefined}>
          <Arrow points={lines[i]!} size={way.hasHead ? HEAD * em : 0} />
        </g>
      ))}
      {boxes.map((box) => (
        <Card
          key={box.id}
          box={hasLines ? box : { ...box, lines: [] }}
          laid={laid.get(box.id)!}
          em={em}
          state={box.id === chosen ? 'chosen' : isBack(box.id) ? 'back' : ''}
        />
      ))}
    </>
  );
}

function Card({ box, laid, em, state }: { box: Box; laid: Laid; em: number; state: string }) {
  const { title, count, kind, to, lines } = box;
  const [left, top] = [laid.x - laid.width / 2, laid.y - laid.height / 2];
  const room = laid.width - 2 * PADDING * em + 1;
  const x = left + PADDING * em;
  const [corner, y] = [em * (kind === 'edge' ? TITLE / 2 : 0.35), top + em * 1.3];
  return (
    <g class={`box ${kind} ${state}`}>
      <rect class="ground" x={left} y={top} width={laid.width} height={laid.height} rx={corner} />
      <Link to={to} aria-current={state === 'chosen' ? 'true' : undefined}>
        <rect class="title" x={left} y={top} width={laid.width} height={TITLE * em} rx={corner} />
        <text class="title" x={x} y={y} font-size={em} font-weight={600}>
          <title>{title}</title>
          {cutToWidth(title, room - countWidth(box, em), em, 600)}
        </text>
        {count !== undefined && (
          <text class="title count" x={left + laid.width - PADDING * em} y={y} text-anchor="end" font-size={em * SMALL}>
            {count}
          </text>
        )}
      </Link>
      {lines.map((line, i) => {
        const shown = (
          <text key={line.text} x={x} y={top + (TITLE + 1.15 + i * LINE) * em} font-size={em * SMALL}>
            <title>{line.text}</title>
            {cutToWidth(line.text, room, em * SMALL)}
          </text>
        );
        if (line.to === undefined) return shown;
        return (
          <Link key={line.text} to={line.to}>
            {shown}
          </Link>
        );
      })}
    </g>
  );
}
