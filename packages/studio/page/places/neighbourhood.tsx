import { useCallback } from 'preact/hooks';
import { countText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { NeighbourhoodAnswer } from '../../api/nodes.ts';
import type { DescribedEdge } from '../../base/describe-model.ts';
import type { NeighbourGroup } from '../../base/neighbours.ts';
import { unitsOfShards } from '../../base/price.ts';
import { useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { Arrow, cutToWidth, Drawing, type Picture, type Point, type Room, widthOf } from '../parts/drawing.tsx';
import { countedText, Priced } from '../parts/price.tsx';
import { Card, LiveMark, Told } from '../parts/told.tsx';
import { listOf, NeighbourList, placeOf } from './neighbour-list.tsx';

/** Edges of each type that are drawn. */
const DRAWN = 24;
/** The widest id of the drawing, in letters. */
const SHORT_ID = 18;

/** The nodes around a node, drawn; a picked one becomes the middle. */
export function Neighbourhood({ id, model }: { id: string; model: ModelAnswer }) {
  const type = id.slice(0, id.indexOf('-'));
  const leaving = model.edges.filter(({ from }) => from.includes(type));
  const entering = model.edges.filter(
    ({ to, orders, partition }) => to.includes(type) && orders.length > 0 && partition === undefined,
  );
  const queries = entering.reduce((sum, { shards }) => sum + shards, leaving.length);
  return (
    <Card title="Neighbourhood">
      <Priced
        key={id}
        units={unitsOfShards(queries)}
        doing={`Read the first edges of ${countText(queries, 'partition')}`}
      >
        <NeighboursOf id={id} entering={entering} />
      </Priced>
    </Card>
  );
}

function NeighboursOf({ id, entering }: { id: string; entering: readonly DescribedEdge[] }) {
  const asked = useAnswer<NeighbourhoodAnswer>('/api/neighbourhood', { id, limit: String(DRAWN) });
  const touches = useTouches({ sources: [id], lists: entering.map((edge) => ({ type: edge.type, id })) });
  useAskedAgain(asked, touches.count);
  return (
    <>
      <LiveMark live={touches} />
      <Told asked={asked}>{(answer) => <Around answer={answer} />}</Told>
    </>
  );
}

function Around({ answer }: { answer: NeighbourhoodAnswer }) {
  const { id, groups, partitioned } = answer;
  const draw = useCallback((room: Room) => pictureOf(room, answer), [answer]);
  const drawn = (direction: NeighbourGroup['direction']): number =>
    groups.reduce((sum, group) => sum + (group.direction === direction ? group.ids.length : 0), 0);
  return (
    <>
      <Drawing
        label={`${id} with ${drawn('outgoing')} edges that leave it and ${drawn('incoming')} that enter it; the list below says the same`}
        hasLinks
        draw={draw}
      />
      {partitioned.length > 0 && (
        <p class="quiet">Edges of {partitioned.join(', ')} that enter the node are in partitions and not drawn.</p>
      )}
      <NeighbourList key={id} id={id} groups={groups} />
    </>
  );
}

/** Letters in the height of a row, in the size of a node, and in that of an arrow's head. */
const ROW = 1.9;
const DOT = { middle: 0.65, around: 0.4 };
const HEAD = 0.5;
/** The part of the width that the texts of a side may take. */
const SIDE = 0.3;
const SMALL = 0.85;

/** The edges of a group that are not drawn, in a few letters: `and 976 OWNS`. */
function restOf({ type, count, ids, isExact }: NeighbourGroup): string {
  return `and ${countedText({ count: Math.max(1, count - ids.length), isExact })} ${type}`;
}

/** The node in the middle; to its right the nodes that it leads to, to its left those that lead to it. */
function pictureOf({ width, em }: Room, { id, groups }: NeighbourhoodAnswer): Picture {
  const of = (direction: NeighbourGroup['direction']) => groups.filter((group) => group.direction === direction);
  const [outgoing, incoming] = [of('outgoing'), of('incoming')];
  const targets = [...new Set(outgoing.flatMap(({ ids }) => ids))].filter((one) => one !== id);
  const sources = [...new Set(incoming.flatMap(({ ids }) => ids))].filter(
    (one) => one !== id && !targets.includes(one),
  );
  // The last of a column are no nodes: they say how many there are beyond those that are drawn.
  const rest = new Map(
    groups.filter(({ cursor }) => cursor !== undefined).map((group) => [restOf(group), listOf(id, group)]),
  );
  const [right, left] = [
    [...targets, ...outgoing.map(restOf).filter((one) => rest.has(one))],
    [...sources, ...incoming.map(restOf).filter((one) => rest.has(one))],
  ];
  const height = (Math.max(3, left.length, right.length) + 1) * ROW * em;
  const size = em * SMALL;
  // A side is as wide as its texts, so that the arrows take what is left.
  const shortenedToFit = (one: string): string => cutToWidth(one, Math.min(width * SIDE, SHORT_ID * size), size);
  const columnX = (ids: readonly string[], side: -1 | 1): number => {
    const text = Math.max(0, ...ids.map((one) => widthOf(shortenedToFit(one), size))) + em;
    return side < 0 ? text : width - text;
  };
  const between = columnX(right, 1) - columnX(left, -1);
  const middle = { x: columnX(left, -1) + between / 2, y: height / 2 };
  const column = (ids: readonly string[], side: -1 | 1): Placed[] => {
    const x = columnX(ids, side);
    return ids.map((one, i) => ({ id: one, side, x, y: middle.y + (i - (ids.length - 1) / 2) * ROW * em }));
  };
  const around = [...column(left, -1), ...column(right, 1)];
  const places = new Map(around.map((one) => [one.id, one]));
  // Edges of several types between the same nodes are one arrow.
  const arrows = new Map<string, { from: Point; to: Point; isOut: boolean; text: string }>();
  const edges = groups.flatMap(({ type, direction, ids }) => ids.map((one) => ({ type, direction, one })));
  for (const { type, direction, one } of edges) {
    const isOut = direction === 'outgoing';
    const other = places.get(one);
    if (other === undefined) continue;
    const key = JSON.stringify([isOut, one]);
    const text = arrows.get(key)?.text;
    if (text?.split(', ').includes(type)) continue;
    const ends = isOut ? { from: middle, to: other } : { from: other, to: middle };
    arrows.set(key, { ...ends, isOut, text: text === undefined ? type : `${text}, ${type}` });
  }
  const loops = new Set(edges.filter(({ one }) => one === id).map(({ type }) => type));
  const dot = (isMiddle: boolean): number => (isMiddle ? DOT.middle : DOT.around) * em;
  const content = (
    <>
      {[...arrows].map(([key, { from, to, isOut, text }]) => (
        <g key={key}>
          <title>{text}</title>
          <Arrow points={rimToRim(from, to, dot(isOut), dot(!isOut))} size={HEAD * em} />
        </g>
      ))}
      {loops.size > 0 && (
        <g>
          <title>{[...loops].join(', ')}</title>
          <circle class="arrow" cx={middle.x} cy={middle.y + em} r={em * 0.8} />
        </g>
      )}
      <g class="dot middle">
        <title>{id}</title>
        <circle cx={middle.x} cy={middle.y} r={dot(true)} />
        <text x={middle.x} y={middle.y - em * 1.1} text-anchor="middle" font-size={size}>
          {cutToWidth(id, between - 2 * em, size)}
        </text>
      </g>
      {around.map((one) => (
        <Link
          key={one.id}
          to={rest.get(one.id) ?? placeOf(one.id)}
          class={rest.has(one.id) ? 'rest' : `dot ${one.side < 0 ? 'left' : 'right'}`}
        >
          <title>{one.id}</title>
          {!rest.has(one.id) && <circle cx={one.x} cy={one.y} r={dot(false)} />}
          <text
            x={one.x + one.side * em * 0.7}
            y={one.y + size * 0.35}
            text-anchor={one.side < 0 ? 'end' : 'start'}
            font-size={size}
          >
            {shortenedToFit(one.id)}
          </text>
        </Link>
      ))}
    </>
  );
  return { width, height, content };
}

interface Placed extends Point {
  id: string;
  side: -1 | 1;
}

/** A line between two nodes, from the rim of the one to the rim of the other. */
function rimToRim(from: Point, to: Point, atStart: number, atEnd: number): Point[] {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  return [
    { x: from.x + x * atStart, y: from.y + y * atStart },
    { x: to.x - x * atEnd, y: to.y - y * atEnd },
  ];
}
