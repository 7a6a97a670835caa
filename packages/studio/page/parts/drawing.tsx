import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The room that a drawing has. */
export interface Room {
  /** In pixels. */
  width: number;
  /** The size of a letter, in pixels: it grows with the window. */
  em: number;
}

/** A drawing that is made for a room. */
export interface Picture {
  /** In pixels; wider than the room where it would not be legible else: then it scrolls. */
  width: number;
  height: number;
  content: ComponentChildren;
}

/** The properties of a drawing. */
export interface DrawingProps {
  /** Describes the drawing in a sentence, for readers who do not see it. A list or table near it has the figures. */
  label: string;
  /** True if there are links in it. */
  hasLinks?: boolean;
  draw: (room: Room) => Picture;
}

/** A drawing that follows the width and the letters of the page. */
export function Drawing({ label, hasLinks = false, draw }: DrawingProps) {
  const ruler = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Room>();
  useLayoutEffect(() => {
    const measure = (): void => {
      const width = ruler.current?.clientWidth ?? 0;
      const em = Number.parseFloat(getComputedStyle(ruler.current!).fontSize);
      // A page that is being built, or is hidden, has boxes without width.
      setRoom(width > 0 ? { width, em } : undefined);
    };
    measure();
    // The ruler is observed, whose height is that of no drawing: a drawing cannot change what it is made for.
    const resized = new ResizeObserver(measure);
    resized.observe(ruler.current!);
    return () => resized.disconnect();
  }, []);
  const picture = room === undefined ? undefined : draw(room);
  // Who has no pointer scrolls by the keyboard.
  const isScrolled = picture !== undefined && picture.width > room!.width;
  return (
    <div class="plot" {...(isScrolled && { tabIndex: 0 })}>
      <div ref={ruler} class="ruler" />
      {picture !== undefined && (
        // An image has no links for those who do not see it; a group has.
        <svg role={hasLinks ? 'group' : 'img'} aria-label={label} width={picture.width} height={picture.height}>
          {picture.content}
        </svg>
      )}
    </div>
  );
}

/** A place in a drawing, in pixels. */
export interface Point {
  x: number;
  y: number;
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
export function smoothPath(points: readonly Point[]): string {
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

/** A text as far as a width has room for it. */
export function cutToWidth(text: string, width: number, size: number, weight?: number): string {
  if (widthOf(text, size, weight) <= width) return text;
  // By characters, not by halves of them.
  const characters = [...text.slice(0, MOST_CHARACTERS)];
  while (characters.length > 1 && widthOf(`${characters.join('')}…`, size, weight) > width) characters.pop();
  return `${characters.join('')}…`;
}

/** More are never drawn. */
const MOST_CHARACTERS = 80;
