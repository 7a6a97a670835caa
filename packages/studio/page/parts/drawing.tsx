import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** The room that a drawing has. */
export interface Room {
  /** In pixels. */
  width: number;
  /** The most height that the drawing may take of the window, in pixels. */
  height: number;
  /** The size of a letter, in pixels: it grows with the window. */
  em: number;
}

/** The size of a drawing, in pixels: it is as large as it likes, and is shown smaller where there is no room. */
export interface Size {
  width: number;
  height: number;
}

/** A place in a drawing, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** The properties of a drawing. */
export interface DrawingProps<Laid extends Size> {
  /** Describes the drawing in a sentence. A list near it says the same. */
  label: string;
  lay: (room: Room) => Laid;
  /** The part to bring into sight where not all can be seen legibly, by its middle and size. */
  focus: (laid: Laid) => (Point & Size) | undefined;
  children: (laid: Laid) => ComponentChildren;
}

/** A drawing is shown this much larger than its letters at most, and so it fits. */
const LARGEST = 1.25;
/** A room of fewer letters in its width is that of a phone, which is nearer to the eye. */
const NARROW = 40;
/** Where all of it had letters smaller than `smallest`, by those of the page, it has letters of size `start` and scrolls. `height`: of the window. */
const LEGIBLE = {
  narrow: { smallest: 0.5, start: 0.85, height: 0.55 },
  wide: { smallest: 0.7, start: 0.75, height: 0.72 },
};

/** A drawing with links that follows the width and the letters of the page. One that is larger than its room scrolls. */
export function Drawing<Laid extends Size>({ label, lay, focus, children }: DrawingProps<Laid>) {
  const plot = useRef<HTMLDivElement>(null);
  const room = useRoom(plot);
  const shown = useMemo(() => {
    if (room === undefined) return undefined;
    const laid = lay(room);
    const fitting = Math.min(LARGEST, room.width / laid.width, room.height / laid.height);
    const { smallest, start } = legibleIn(room);
    return { laid, scale: fitting < smallest ? start : fitting };
  }, [lay, room]);
  const placed = useRef<{ focus: unknown; left: number; top: number }>();
  useLayoutEffect(() => {
    const part = shown && focus(shown.laid);
    if (part === undefined) return;
    const element = plot.current!;
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = element;
    // Another layout leaves the drawing where somebody has moved it.
    const before = placed.current;
    if (before?.focus === focus && (before.left !== scrollLeft || before.top !== scrollTop)) return;
    const [x, y, width, height] = [part.x, part.y, part.width, part.height].map((one) => one * shown!.scale);
    const isIn = (middle: number, size: number, from: number, room: number): boolean =>
      middle - size / 2 >= from && middle + size / 2 <= from + room;
    if (!isIn(x!, width!, scrollLeft, clientWidth) || !isIn(y!, height!, scrollTop, clientHeight))
      element.scrollTo(x! - clientWidth / 2, y! - clientHeight / 2);
    placed.current = { focus, left: element.scrollLeft, top: element.scrollTop };
  }, [focus, shown?.laid]);
  const { laid, scale = 1 } = shown ?? {};
  return (
    <div class="plot" ref={plot} style={{ maxHeight: room && `${room.height}px` }}>
      {laid !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: it is a drawing with links
        <svg role="group" aria-label={label} width={laid.width * scale} height={laid.height * scale}>
          <g transform={`scale(${scale})`}>{children(laid)}</g>
        </svg>
      )}
    </div>
  );
}

function legibleIn({ width, em }: Pick<Room, 'width' | 'em'>): (typeof LEGIBLE)['wide'] {
  return width < NARROW * em ? LEGIBLE.narrow : LEGIBLE.wide;
}

/** The room of an element, followed; undefined where there is none. */
function useRoom(plot: { readonly current: HTMLDivElement | null }): Room | undefined {
  const [room, setRoom] = useState<Room>();
  useLayoutEffect(() => {
    const measure = (): void => {
      // Without a scrollbar, which comes with the drawing.
      const width = plot.current!.offsetWidth;
      const em = Number.parseFloat(getComputedStyle(plot.current!).fontSize);
      const height = Math.round(innerHeight * legibleIn({ width, em }).height);
      // The bars of a phone's browser change its height while one scrolls.
      setRoom((before) => (before?.width === width && before.em === em ? before : { width, height, em }));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(plot.current!);
    return () => resized.disconnect();
  }, [plot]);
  return room !== undefined && room.width > 0 ? room : undefined;
}

/** Half the width of an arrow's head over its length. */
const SLIMNESS = 0.4;

/** A line through points, with a head at its end. `size`: the length of the head; 0 for a line without. */
export function Arrow({ points, size }: { points: readonly Point[]; size: number }) {
  const end = points.at(-1)!;
  const before = points.at(-2)!;
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [along, across] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const neck = { x: end.x - along * size, y: end.y - across * size };
  const corner = (side: number): string =>
    `${neck.x - side * across * size * SLIMNESS},${neck.y + side * along * size * SLIMNESS}`;
  return (
    <>
      <path class="arrow" d={smoothPath([...points.slice(0, -1), neck])} />
      {size > 0 && <polygon class="head" points={`${end.x},${end.y} ${corner(1)} ${corner(-1)}`} />}
    </>
  );
}

/** A path that begins and ends in its points, and turns around those between them. */
function smoothPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1)!;
  const turns = rest.slice(0, -1).map((turn, i) => {
    const next = rest[i + 1]!;
    const halfway = next === last ? last : { x: (turn.x + next.x) / 2, y: (turn.y + next.y) / 2 };
    return `Q${turn.x},${turn.y} ${halfway.x},${halfway.y}`;
  });
  return [`M${first!.x},${first!.y}`, ...(turns.length > 0 ? turns : [`L${last.x},${last.y}`])].join('');
}

let pen: CanvasRenderingContext2D | undefined;

/** How wide a text is in the page's font, in pixels. `size`: of its letters. */
export function widthOf(text: string, size: number, weight = 400): number {
  pen ??= document.createElement('canvas').getContext('2d')!;
  pen.font = `${weight} ${size}px ${getComputedStyle(document.documentElement).fontFamily}`;
  return pen.measureText(text).width;
}

/** More are never drawn. */
const MOST_CHARACTERS = 80;

/** A text as far as a width has room for it. */
export function cutToWidth(text: string, width: number, size: number, weight?: number): string {
  if (widthOf(text, size, weight) <= width) return text;
  // By characters, not by halves of them.
  const characters = [...text.slice(0, MOST_CHARACTERS)];
  while (characters.length > 1 && widthOf(`${characters.join('')}…`, size, weight) > width) characters.pop();
  return `${characters.join('')}…`;
}
