import { useCallback, useMemo } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedTotal } from '../../base/describe-model.ts';
import { SAMPLE_UNITS } from '../../base/price.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { postTo, useAnswer, useAskedLater, useDoing } from '../base/ask.ts';
import { useLost } from '../base/connection.ts';
import { useFlow } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Drawing, type Room } from '../parts/drawing.tsx';
import { Layers, type Layout, layoutInLayers } from '../parts/layers.tsx';
import { Rows } from '../parts/rows.tsx';
import { FailureNote } from '../parts/told.tsx';
import { boxesNextTo, busiestBox, modelBoxes, placeOfType } from './model-boxes.ts';
import { PickedType } from './picked-type.tsx';

/** How often the counts are asked for again; the studio reads a large sample more seldom. */
const SAMPLED_MS = 15_000;

/** The model as a graph with what is in the table, and the same in a list. `chosen`: the box that is picked, such as `node USER`. */
export function ModelGraph({ model, chosen }: { model: ModelAnswer; chosen: string | undefined }) {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  useAskedLater(asked, SAMPLED_MS);
  const { answer: sample, again } = asked;
  const { boxes, ways } = useMemo(() => modelBoxes(model, sample), [model, sample]);
  const lay = useCallback((room: Room) => layoutInLayers(room, boxes, ways), [boxes, ways]);
  const isKnown = boxes.some(({ id }) => id === chosen);
  const picked = useMemo(() => (isKnown ? boxesNextTo(ways, chosen!) : undefined), [ways, chosen, isKnown]);
  const middle = isKnown ? chosen! : busiestBox(ways);
  const focus = useCallback((layout: Layout) => layout.boxes.get(middle), [middle]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <ul class="types narrow" aria-label="Node types">
        {model.nodes.map(({ type }) => {
          const count = sample?.nodes[type]?.count;
          return (
            <li key={type}>
              <Link to={placeOfType('node', type)} aria-current={`node ${type}` === chosen ? 'true' : undefined}>
                <span>{type}</span> <strong>{count !== undefined && sampledText(count, sample!)}</strong>
              </Link>
            </li>
          );
        })}
      </ul>
      <Drawing
        label={`The model as a graph of the node types ${types}; the lists below say the same`}
        lay={lay}
        focus={focus}
      >
        {(layout) => <Layers layout={layout} boxes={boxes} ways={ways} picked={picked} chosen={chosen} />}
      </Drawing>
      <p class="quiet under-drawing">
        <span>
          {countText(model.nodes.length, 'node type')}, {countText(model.edges.length, 'edge type')}
          {sample !== undefined && sample.precision !== 'exact' && (
            <>, estimated by {figureText(sample.itemsRead)} items</>
          )}
        </span>
        {sample !== undefined && sample.precision !== 'exact' && <ReadOn onRead={again} />}
        <LiveLine />
      </p>
      {isKnown && <PickedType key={chosen} model={model} sample={sample} chosen={chosen!} />}
      <ModelLists model={model} />
    </>
  );
}

/** Reads the next part of the table, for better estimates. */
function ReadOn({ onRead }: { onRead: () => void }) {
  const { isRunning, failure, run } = useDoing();
  const readOn = async (): Promise<void> => {
    await postTo('/api/sample', {});
    onRead();
  };
  return (
    <>
      <button type="button" class="small" disabled={isRunning} onClick={() => run(readOn)}>
        {isRunning ? 'Reading …' : `Count more items: ${figureText(SAMPLE_UNITS.more)} RCU at most`}
      </button>
      <FailureNote failure={failure} />
    </>
  );
}

function LiveLine() {
  const flow = useFlow();
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
