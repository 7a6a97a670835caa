import { type ZoomTransform, zoomIdentity } from 'd3-zoom';
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
export interface Fitted {
  all: ZoomTransform;
  start: ZoomTransform;
  height: number;
}

/** Fits a drawing into a room. */
export function fit(
  room: CanvasRoom,
  { width, height }: CanvasSize,
  focus: Point = { x: width / 2, y: height / 2 },
): Fitted {
  const scale = Math.min(LARGEST_FIT, room.width / width, room.height / height);
  const { smallest, start } = legibleIn(room);
  const first = scale < smallest ? start : scale;
  const shown = Math.min(room.height, height * first);
  // In the middle, or as near to it as the drawing fills the room.
  const placed = (at: number, size: number, own: number): number =>
    size <= own ? (own - size) / 2 : Math.min(0, Math.max(own - size, own / 2 - at));
  const around = (at: Point, k: number): ZoomTransform =>
    zoomIdentity.translate(placed(at.x * k, width * k, room.width), placed(at.y * k, height * k, shown)).scale(k);
  return { all: around(focus, scale), start: around(focus, first), height: shown };
}
