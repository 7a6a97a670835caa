import { select } from 'd3-selection';
import { type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CanvasRoom, type CanvasSize, fit, mostHeight } from './canvas-view.ts';
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
  const plot = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const room = useRoom(ruler);
  const shown = useMemo(() => {
    if (room === undefined) return undefined;
    const laid = lay(room);
    return { room, laid, fitted: fit(room, laid, focus?.(laid)) };
    // Focusing another node doesn't reset the layout.
  }, [lay, room]);
  const [moved, setMoved] = useState<{ of: CanvasRoom; view: ZoomTransform }>();
  const view = moved !== undefined && moved.of === room ? moved.view : shown?.fitted.start;
  const isPart = view !== undefined && view.k > (shown?.fitted.all.k ?? 1) * 1.01;
  const takesFinger = useRef(false);
  takesFinger.current = isPart;
  const gestures = useMemo(
    () =>
      zoom<HTMLDivElement, unknown>()
        // The wheel alone scrolls the page, and so does one finger where all of the drawing is in sight.
        .filter((event: WheelEvent | MouseEvent | TouchEvent) => {
          if ('touches' in event) return event.touches.length > 1 || takesFinger.current;
          return event.type === 'wheel' ? event.ctrlKey || event.metaKey : event.button === 0;
        })
        .wheelDelta(({ deltaY }) => (-deltaY * 0.01) / Math.LN2)
        // A hand that clicks trembles.
        .clickDistance(4),
    [],
  );
  const drawing = () => select<HTMLDivElement, unknown>(plot.current!);
  useLayoutEffect(() => {
    // The style sheet says which touches are the page's.
    drawing().call(gestures).on('dblclick.zoom', null).style('touch-action', null);
  }, []);
  useLayoutEffect(() => {
    if (shown === undefined || view === undefined) return;
    const { room: of, laid, fitted } = shown;
    // Something of the drawing stays in the middle of the room.
    const kept = (at: number, size: number, own: number): number => Math.min(own / 2, Math.max(own / 2 - size, at));
    gestures
      .extent([
        [0, 0],
        [of.width, fitted.height],
      ])
      .scaleExtent([fitted.all.k, LARGEST])
      .constrain(({ x, y, k }) =>
        zoomIdentity.translate(kept(x, laid.width * k, of.width), kept(y, laid.height * k, fitted.height)).scale(k),
      )
      .on('zoom', ({ transform }: { transform: ZoomTransform }) => setMoved({ of, view: transform }));
    drawing().property('__zoom', view);
  });
  useLayoutEffect(() => {
    const at = shown && focus?.(shown.laid);
    if (shown === undefined || view === undefined || at === undefined) return;
    const [x, y] = view.apply([at.x, at.y]);
    const isInSight = x >= 0 && x <= shown.room.width && y >= 0 && y <= shown.fitted.height;
    // A view that nobody has chosen is not kept, so that it goes with the layout.
    if (!isInSight) gestures.translateTo(drawing(), at.x, at.y);
    // Once: a hand may move it out of sight again.
  }, [focus]);
  const enlarge = (factor: number) => (): void => gestures.scaleBy(drawing(), factor);
  /** Moves the drawing by pixels. */
  const shift = (x: number, y: number): void => {
    if (view !== undefined) gestures.translateBy(drawing(), x / view.k, y / view.k);
  };
  const showAll = (): void => {
    if (shown !== undefined) setMoved({ of: shown.room, view: shown.fitted.all });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = MOVE * (room?.em ?? 0);
    const act = {
      '+': enlarge(STEP),
      '=': enlarge(STEP),
      '-': enlarge(1 / STEP),
      '0': showAll,
      ArrowLeft: () => shift(step, 0),
      ArrowRight: () => shift(-step, 0),
      ArrowUp: () => shift(0, step),
      ArrowDown: () => shift(0, -step),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  /** Moves the element with the focus into sight. */
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof SVGElement)) return;
    const [own, whole] = [target.getBoundingClientRect(), plot.current!.getBoundingClientRect()];
    const into = (start: number, end: number, from: number, to: number): number =>
      start < from ? from - start + 12 : end > to ? to - end - 12 : 0;
    const [x, y] = [
      into(own.left, own.right, whole.left, whole.right),
      into(own.top, own.bottom, whole.top, whole.bottom),
    ];
    if (x !== 0 || y !== 0) shift(x, y);
  };
  return (
    <section class="canvas" aria-label={name} onKeyDown={onKey} onFocusIn={onFocus}>
      <div class={isPart ? 'plot moves' : 'plot'} ref={plot}>
        <div ref={ruler} class="ruler" />
        {shown !== undefined && view !== undefined && (
          // biome-ignore lint/a11y/useSemanticElements: it is a drawing with links
          <svg role="group" aria-label={label} width={shown.room.width} height={shown.fitted.height}>
            <g transform={view.toString()}>{children(shown.laid)}</g>
          </svg>
        )}
      </div>
      <div class="tools">
        <button type="button" aria-label="Larger" title="Larger (+)" onClick={enlarge(STEP)}>
          +
        </button>
        <button type="button" aria-label="Smaller" title="Smaller (-)" onClick={enlarge(1 / STEP)}>
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
