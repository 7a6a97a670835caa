import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedTotal } from '../../base/describe-model.ts';
import type { Movement } from '../../base/flow.ts';
import { SAMPLE_UNITS } from '../../base/price.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { type Failure, postTo, useAnswer } from '../base/ask.ts';
import { useLost } from '../base/connection.ts';
import { type LiveFlow, useFlow } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Canvas } from '../parts/canvas.tsx';
import type { CanvasRoom } from '../parts/canvas-view.ts';
import { Layers, type Layout, layoutInLayers, pathAlong } from '../parts/layers.tsx';
import { Rows } from '../parts/rows.tsx';
import { FailureNote } from '../parts/told.tsx';
import { ALL_GROUPS, boxesNextTo, busiestBox, groupsOf, type ModelBoxes, modelBoxes } from './model-boxes.ts';
import { PickedType } from './picked-type.tsx';

/** How often the counts are asked for again; the studio reads a large sample more seldom. */
const SAMPLED_MS = 15_000;

/** The properties of the drawn model. */
export interface ModelGraphProps {
  model: ModelAnswer;
  /** The box that is picked: `node USER`, `edge MEMBER`. */
  chosen: string | undefined;
  /** The groups of types that are unfolded. */
  open: readonly string[];
}

/** The model as a graph with what is in the table and what moves, and the same in a list. */
export function ModelGraph({ model, chosen, open }: ModelGraphProps) {
  const { answer: sample, again } = useAnswer<SampleAnswer>('/api/sample');
  const flow = useFlow();
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, SAMPLED_MS);
    return () => clearInterval(timer);
  }, [again]);
  const groups = useMemo(() => groupsOf(model), [model]);
  const opened = open.join(' ');
  const drawn = useMemo(
    () => modelBoxes(model, sample, groups, open, chosen),
    // Another list of the same groups is no other drawing.
    [model, sample, groups, opened, chosen],
  );
  const { boxes, ways } = drawn;
  const lay = useCallback((room: CanvasRoom) => layoutInLayers(room, boxes, ways), [boxes, ways]);
  const isKnown = boxes.some(({ id }) => id === chosen);
  const picked = useMemo(() => (isKnown ? boxesNextTo(ways, chosen!) : undefined), [ways, chosen, isKnown]);
  const middle = isKnown ? chosen! : busiestBox(ways);
  const focus = useCallback((layout: Layout) => layout.boxes.get(middle), [middle]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <ul class="types narrow" aria-label="Node types">
        {model.nodes.map(({ type }) => {
          const id = `node ${type}`;
          const count = sample?.nodes[type]?.count;
          return (
            <li key={id}>
              <Link to={addressOf('/', { picked: id, open })} aria-current={id === chosen ? 'true' : undefined}>
                <span>{type}</span> <strong>{count !== undefined && sampledText(count, sample!)}</strong>
              </Link>
            </li>
          );
        })}
      </ul>
      <Canvas
        name="Drawing of the model"
        label={`The model as a graph of the node types ${types}; the lists below say the same`}
        lay={lay}
        focus={focus}
      >
        {(layout) => (
          <>
            <Layers layout={layout} boxes={boxes} ways={ways} picked={picked} chosen={chosen} />
            <Moving layout={layout} drawn={drawn} flow={flow} />
          </>
        )}
      </Canvas>
      <p class="quiet under-canvas">
        <span>
          {countText(model.nodes.length, 'node type')}, {countText(model.edges.length, 'edge type')}
          {sample !== undefined && sample.precision !== 'exact' && (
            <>, estimated by {figureText(sample.itemsRead)} items</>
          )}
        </span>
        {sample !== undefined && sample.precision !== 'exact' && <ReadOn onRead={again} />}
        {groups.length > 0 && <Folding groups={groups} open={open} />}
        <LiveLine flow={flow} />
      </p>
      {isKnown && <PickedType model={model} sample={sample} chosen={chosen!} />}
      <ModelLists model={model} />
    </>
  );
}

/** Reads the next part of the table, for better estimates. */
function ReadOn({ onRead }: { onRead: () => void }) {
  const [isReading, setReading] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const readOn = (): void => {
    setReading(true);
    postTo('/api/sample', {})
      .then(() => {
        setFailure(undefined);
        onRead();
      }, setFailure)
      .finally(() => setReading(false));
  };
  return (
    <>
      <button type="button" class="small" disabled={isReading} onClick={readOn}>
        {isReading ? 'Reading …' : `Count more items: ${figureText(SAMPLE_UNITS.more)} RCU at most`}
      </button>
      {failure !== undefined && <FailureNote failure={failure} />}
    </>
  );
}

/** Unfolds the groups of types, and folds them again. */
function Folding({ groups, open }: { groups: readonly string[][]; open: readonly string[] }) {
  return (
    <span class="row">
      {!open.includes(ALL_GROUPS) && <Link to={addressOf('/', { open: ALL_GROUPS })}>Show each type</Link>}
      {open.length > 0 && <Link to="/">Show {countText(groups.length, 'group')}</Link>}
    </span>
  );
}

function LiveLine({ flow }: { flow: LiveFlow | undefined }) {
  const lost = useLost();
  if (flow === undefined || lost !== undefined) return null;
  if (flow.failure !== null) return <span>The studio could not read the stream and tries again: {flow.failure}</span>;
  if (!flow.hasStream) return <span>The table has no stream.</span>;
  return (
    <span class={flow.perSecond > 0 ? 'flowing moves' : 'flowing'}>
      {figureText(Math.round(flow.perSecond))} changes/s, {figureText(Math.round(flow.derivedPerSecond))} derived/s
    </span>
  );
}

/** Circles that one change in the stream sends along an edge at most. */
const MOST_DOTS = 5;
/** Seconds between two of them. */
const DOTS_APART = 0.16;
/** Answers whose changes are drawn: a circle on its way arrives. */
const KEPT_TICKS = 3;

/** Circles that run along the edges which are written, and nodes that light up. */
function Moving({ layout, drawn, flow }: { layout: Layout; drawn: ModelBoxes; flow: LiveFlow | undefined }) {
  const kept = useRef<LiveFlow[]>([]);
  if (flow !== undefined && flow.moved.length > 0 && kept.current.at(-1)?.tick !== flow.tick) {
    kept.current = [...kept.current, flow].slice(-KEPT_TICKS);
  }
  return (
    <g class="flow">
      {kept.current.map(({ tick, moved }) => (
        <g key={tick}>
          {moved.map((movement) => (
            <Moved key={`${movement.type} ${movement.from} ${movement.to}`} {...{ layout, drawn, movement }} />
          ))}
        </g>
      ))}
    </g>
  );
}

function Moved({ layout, drawn, movement }: { layout: Layout; drawn: ModelBoxes; movement: Movement }) {
  const { kind, type, from, to, count } = movement;
  const [start, over, end] = kind === 'node' ? drawn.boxesOfMove(type, '', type) : drawn.boxesOfMove(from, type, to);
  // A change within a group lights the group up, as a node does.
  if (kind === 'node' || (over === undefined && start === end)) {
    const laid = layout.boxes.get(start);
    if (laid === undefined) return null;
    const { x, y, width, height } = laid;
    return (
      <rect class="pulse" x={x - width / 2} y={y - height / 2} width={width} height={height} rx={layout.em * 0.35} />
    );
  }
  const path = over === undefined ? '' : pathAlong(layout, drawn.ways, start, over, end);
  if (path === '') return null;
  return (
    <>
      {Array.from({ length: Math.min(count, MOST_DOTS) }, (_, i) => (
        <circle
          key={i}
          r={layout.em * 0.28}
          style={{ offsetPath: `path("${path}")`, animationDelay: `${i * DOTS_APART}s` }}
        />
      ))}
    </>
  );
}

function ModelLists({ model }: { model: ModelAnswer }) {
  return (
    <details>
      <summary>The model as lists</summary>
      <Rows
        label="Node types"
        headings={['node type', 'view', 'searches']}
        rows={model.nodes.map(({ type, view, searches: own }) => [
          type,
          view,
          own.map(({ name }) => (
            <span key={name}>
              <Link to={addressOf('/explore', { search: name })}>{name}</Link>{' '}
            </span>
          )),
        ])}
      />
      <Rows
        label="Edge types"
        headings={['edge type', 'from', 'to', 'edge set', 'orders', 'totals']}
        rows={model.edges.map(({ type, from, to, labels, orders, isCounted, totals }) => [
          type,
          from.join(', '),
          to.join(', '),
          labels === undefined ? 'left out' : ['target', ...labels].join(', '),
          orders.map((order) => `${order.name}: ${order.from}`).join('; ') || 'none',
          [...(isCounted ? ['number'] : []), ...Object.values(totals).flatMap(totalNames)].join(', ') || 'none',
        ])}
        empty="The model has no edge types."
      />
    </details>
  );
}

/** The names of sums and groups. */
function totalNames({ sums, groups }: DescribedTotal): string[] {
  return [...sums, ...groups.map((name) => `by ${name}`)];
}
