import type { Point } from './drawing.tsx';

/** The room of a drawing that can be moved. */
export interface CanvasRoom {
  /** In pixels. */
  width: number;
  /** The most height that it may take. */
  height: number;
  /** The size of a letter, in pixels. */
  em: number;
}

/** The size of a drawing that can be moved: it is as large as it likes, and is shown smaller where there is no room. */
export interface CanvasSize {
  width: number;
  height: number;
}

/** Where the drawing lies in its room, and how large it is shown. */
export interface View extends Point {
  scale: number;
}

/** A drawing is shown this much larger than its letters at most, and so it fits. */
const LARGEST_FIT = 1.25;
/** A room of fewer letters in its width is that of a phone, which is nearer to the eye. */
const NARROW = 40;
/**
 * Where all of it had letters smaller than `smallest`, by those of the page, one sees a part of it with letters of size `start`. It takes
 * at most `height` of the window: a finger that moves the drawing does not scroll the page.
 */
const LEGIBLE = {
  narrow: { smallest: 0.5, start: 0.85, height: 0.55 },
  wide: { smallest: 0.7, start: 0.75, height: 0.72 },
};
const LEAST_HEIGHT = 240;

function legibleIn({ width, em }: Pick<CanvasRoom, 'width' | 'em'>): (typeof LEGIBLE)['wide'] {
  return width < NARROW * em ? LEGIBLE.narrow : LEGIBLE.wide;
}

/** The most height that a drawing takes in a window. */
export function mostHeight(room: Pick<CanvasRoom, 'width' | 'em'>, windowHeight: number): number {
  return Math.max(LEAST_HEIGHT, Math.round(windowHeight * legibleIn(room).height));
}

/** The view that shows all, the one to start with, and the height that is needed. */
export function fit(
  room: CanvasRoom,
  { width, height }: CanvasSize,
  focus: Point = { x: width / 2, y: height / 2 },
): { all: View; start: View; height: number } {
  const scale = Math.min(LARGEST_FIT, room.width / width, room.height / height);
  const { smallest, start } = legibleIn(room);
  const first = scale < smallest ? start : scale;
  const shown = Math.min(room.height, height * first);
  const at = (own: number): View => ({
    x: (room.width - width * own) / 2,
    y: (shown - height * own) / 2,
    scale: own,
  });
  const all = at(scale);
  return {
    all,
    start: first === scale ? all : around(focus, first, room.width, shown, { width, height }),
    height: shown,
  };
}

/** The view with a place in its middle, or as near to it as the drawing fills the room. */
function around(focus: Point, scale: number, width: number, height: number, drawing: CanvasSize): View {
  const placed = (at: number, size: number, room: number): number =>
    size * scale <= room
      ? (room - size * scale) / 2
      : Math.min(0, Math.max(room - size * scale, room / 2 - at * scale));
  return { x: placed(focus.x, drawing.width, width), y: placed(focus.y, drawing.height, height), scale };
}

/** Tells whether a view has a place in sight. */
export function isInSight(view: View, at: Point, width: number, height: number): boolean {
  const [x, y] = [view.x + at.x * view.scale, view.y + at.y * view.scale];
  return x >= 0 && x <= width && y >= 0 && y <= height;
}

/** The same view with a place in the middle. */
export function inTheMiddle(view: View, at: Point, width: number, height: number): View {
  return { ...view, x: width / 2 - at.x * view.scale, y: height / 2 - at.y * view.scale };
}

/** Larger or smaller, with one point where it is. */
export function zoomed({ x, y, scale }: View, factor: number, at: Point): View {
  return { x: at.x - (at.x - x) * factor, y: at.y - (at.y - y) * factor, scale: scale * factor };
}

/** The nearest view that has a part of the drawing in the middle of the room. */
export function keptInSight({ x, y, scale }: View, width: number, height: number, drawing: CanvasSize): View {
  const kept = (place: number, size: number, room: number): number =>
    Math.min(room / 2, Math.max(room / 2 - size * scale, place));
  return { x: kept(x, drawing.width, width), y: kept(y, drawing.height, height), scale };
}
