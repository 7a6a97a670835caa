import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  type CanvasRoom,
  type CanvasSize,
  fit,
  inTheMiddle,
  isInSight,
  keptInSight,
  mostHeight,
  type View,
  zoomed,
} from './canvas-view.ts';
import type { Point } from './drawing.tsx';

/** The properties of a drawing that can be moved. */
export interface CanvasProps<Laid extends CanvasSize> {
  /** Names the place to screen readers. */
  name: string;
  /** Describes the drawing in a sentence. A list near it says the same. */
  label: string;
  /** Lays the drawing out. Another layout keeps a view that was chosen; another room brings the first one back. */
  lay: (room: CanvasRoom) => Laid;
  /**
   * The place to begin with where not all can be seen legibly, in pixels of the drawing. Another one is brought into sight.
   */
  focus?: (laid: Laid) => Point | undefined;
  children: (laid: Laid) => ComponentChildren;
}

const LARGEST = 4;
const STEP = 1.3;
/** How far an arrow key moves, in letters. */
const MOVE = 5;

/** A drawing that one moves and enlarges: by pointer, by fingers, by keys, by buttons. */
export function Canvas<Laid extends CanvasSize>({ name, label, lay, focus, children }: CanvasProps<Laid>) {
  const box = useRef<HTMLElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const room = useRoom(ruler);
  const shown = useMemo(() => {
    if (room === undefined) return undefined;
    const laid = lay(room);
    return { room, laid, fitted: fit(room, laid, focus?.(laid)) };
    // Another focus is no other beginning.
  }, [lay, room]);
  const [moved, setMoved] = useState<{ of: CanvasRoom; view: View }>();
  const view = moved !== undefined && moved.of === room ? moved.view : shown?.fitted.start;
  const change = (next: (before: View) => View): void => {
    if (shown === undefined || view === undefined) return;
    const { laid, fitted, room: of } = shown;
    const made = next(view);
    const scale = Math.min(LARGEST, Math.max(fitted.all.scale, made.scale));
    if (scale !== made.scale) setMoved({ of, view: scale === fitted.all.scale ? fitted.all : view });
    else setMoved({ of, view: keptInSight(made, of.width, fitted.height, laid) });
  };
  const zoom = (factor: number, at?: Point): void => {
    const middle = at ?? { x: (shown?.room.width ?? 0) / 2, y: (shown?.fitted.height ?? 0) / 2 };
    change((before) => zoomed(before, factor, middle));
  };
  const showAll = (): void => {
    if (shown !== undefined) setMoved({ of: shown.room, view: shown.fitted.all });
  };
  useLayoutEffect(() => {
    if (shown === undefined || view === undefined) return;
    const at = focus?.(shown.laid);
    // A view that nobody has chosen is not kept, so that it goes with the layout.
    if (at !== undefined && !isInSight(view, at, shown.room.width, shown.fitted.height)) {
      change((before) => inTheMiddle(before, at, shown.room.width, shown.fitted.height));
    }
    // Once: a hand may move it out of sight again.
  }, [focus]);
  const isLargerThanAll = view !== undefined && view.scale > (shown?.fitted.all.scale ?? 1) * 1.01;
  useGestures(box, { change, zoom, showAll, em: room?.em ?? 0, takesTouch: isLargerThanAll });
  return (
    <section ref={box} class="canvas" aria-label={name}>
      <div class={isLargerThanAll ? 'plot moves' : 'plot'}>
        <div ref={ruler} class="ruler" />
        {shown !== undefined && view !== undefined && (
          // biome-ignore lint/a11y/useSemanticElements: it is a drawing with links
          <svg role="group" aria-label={label} width={shown.room.width} height={shown.fitted.height}>
            <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>{children(shown.laid)}</g>
          </svg>
        )}
      </div>
      <div class="tools">
        <button type="button" aria-label="Larger" title="Larger (+)" onClick={() => zoom(STEP)}>
          +
        </button>
        <button type="button" aria-label="Smaller" title="Smaller (-)" onClick={() => zoom(1 / STEP)}>
          −
        </button>
        <button type="button" title="Show all (0)" onClick={showAll}>
          All
        </button>
      </div>
    </section>
  );
}

/** The room, followed; undefined where there is none. */
function useRoom(ruler: { readonly current: HTMLDivElement | null }): CanvasRoom | undefined {
  const [room, setRoom] = useState<CanvasRoom>();
  useLayoutEffect(() => {
    const measure = (): void => {
      const width = ruler.current?.clientWidth ?? 0;
      const em = Number.parseFloat(getComputedStyle(ruler.current!).fontSize);
      const height = mostHeight({ width, em }, innerHeight);
      const next = width > 0 ? { width, height, em } : undefined;
      setRoom((before) => (isSameRoom(before, next) ? before : next));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(ruler.current!);
    return () => resized.disconnect();
  }, [ruler]);
  return room;
}

function isSameRoom(left: CanvasRoom | undefined, right: CanvasRoom | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  // The bars of a phone's browser come and go while one scrolls: that is no other room.
  return left.width === right.width && left.em === right.em;
}

/** The effects of gestures. */
interface Gestures {
  change: (next: (before: View) => View) => void;
  zoom: (factor: number, at?: Point) => void;
  showAll: () => void;
  em: number;
  /** True if a finger moves the drawing; else it scrolls the page. */
  takesTouch: boolean;
}

/** Keys, wheel and pointers over a drawing. */
function useGestures(box: { readonly current: HTMLElement | null }, gestures: Gestures): void {
  const newest = useRef(gestures);
  newest.current = gestures;
  useEffect(() => {
    const element = box.current!;
    const plot = element.querySelector<HTMLElement>('.plot')!;
    const pointers = new Map<number, Point>();
    let hasMoved = false;
    const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
      const { left, top } = plot.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { change, zoom, showAll, em } = newest.current;
      const move = (x: number, y: number) => () =>
        change((before) => ({ ...before, x: before.x + x * em * MOVE, y: before.y + y * em * MOVE }));
      const act = {
        '+': () => zoom(STEP),
        '=': () => zoom(STEP),
        '-': () => zoom(1 / STEP),
        '0': showAll,
        ArrowLeft: move(1, 0),
        ArrowRight: move(-1, 0),
        ArrowUp: move(0, 1),
        ArrowDown: move(0, -1),
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    const onWheel = (event: WheelEvent): void => {
      // The wheel alone scrolls the page; two fingers on a touch pad come with ctrl.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      newest.current.zoom(Math.exp(-event.deltaY * 0.01), placeOf(event));
    };
    const onDown = (event: PointerEvent): void => {
      pointers.set(event.pointerId, placeOf(event));
      hasMoved = false;
    };
    const onMove = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      const now = placeOf(event);
      const [x, y] = [now.x - before.x, now.y - before.y];
      // A hand that clicks trembles.
      if (!hasMoved && Math.hypot(x, y) < 4) return;
      hasMoved = true;
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      if (other !== undefined) {
        const spread = (place: Point): number => Math.hypot(place.x - other.x, place.y - other.y) || 1;
        newest.current.zoom(spread(now) / spread(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      } else if (event.pointerType !== 'touch' || newest.current.takesTouch) {
        newest.current.change((view) => ({ ...view, x: view.x + x, y: view.y + y }));
      }
    };
    const onUp = (event: PointerEvent): void => {
      pointers.delete(event.pointerId);
    };
    const onClick = (event: MouseEvent): void => {
      // The end of a move is no click on what lies under the pointer.
      if (hasMoved) {
        event.preventDefault();
        event.stopPropagation();
      }
      hasMoved = false;
    };
    // A link would be dragged away.
    const onDrag = (event: Event): void => event.preventDefault();
    const onFocus = (event: FocusEvent): void => {
      if (!(event.target instanceof SVGElement)) return;
      // The element with the focus is moved into sight.
      const [own, room] = [event.target.getBoundingClientRect(), plot.getBoundingClientRect()];
      const into = (start: number, end: number, from: number, to: number): number =>
        start < from ? from - start + 12 : end > to ? to - end - 12 : 0;
      const x = into(own.left, own.right, room.left, room.right);
      const y = into(own.top, own.bottom, room.top, room.bottom);
      if (x !== 0 || y !== 0) newest.current.change((view) => ({ ...view, x: view.x + x, y: view.y + y }));
    };
    element.addEventListener('keydown', onKey);
    element.addEventListener('focusin', onFocus);
    plot.addEventListener('wheel', onWheel, { passive: false });
    plot.addEventListener('pointerdown', onDown);
    plot.addEventListener('click', onClick, { capture: true });
    plot.addEventListener('dragstart', onDrag);
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
    addEventListener('pointercancel', onUp);
    return () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
      removeEventListener('pointercancel', onUp);
    };
  }, [box]);
}
