import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelChange } from '../../../cost/what-if.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { Compared, WhatIfAnswer } from '../../api/what-if.ts';
import type { DescribedEdge, DescribedNode } from '../../base/describe-model.ts';
import { type Failure, postTo } from '../base/ask.ts';
import { Rows } from '../parts/rows.tsx';
import { FailureNote } from '../parts/told.tsx';

/** The end of the shard sliders: the default of a search. */
const MOST_SHARDS = 200;
/** The rates that the first figures are of: writes a second, and reads a second of each query that differs. */
const USUAL_RATES = { putsPerSecond: 100, readsPerSecond: 10 };
const READABLE: Readonly<Record<WhatIfAnswer['readability'][number]['readable'], string>> = {
  throughout: 'readers go on with the present shards until the others are ready',
  'by the present model': 'processes with the present model go on; those with the new model read it once it is built',
  'once built': 'readable once it is built',
};

/** Switches and sliders of a picked type, and the difference that they would make. Nothing is written. */
export function WhatIf({ model, chosen }: { model: ModelAnswer; chosen: string }) {
  const [changes, setChanges] = useState<readonly ModelChange[]>([]);
  const [rates, setRates] = useState(USUAL_RATES);
  const [answer, setAnswer] = useState<WhatIfAnswer>();
  const [failure, setFailure] = useState<Failure>();
  const [isPlanning, setPlanning] = useState(false);
  // A slider asks faster than the table answers: an answer to an earlier question is not shown.
  const newest = useRef(0);
  const answered = useRef<readonly ModelChange[]>([]);
  const node = model.nodes.find(({ type }) => chosen === `node ${type}`);
  const edge = model.edges.find(({ type }) => chosen === `edge ${type}`);
  const ask = (asked: readonly ModelChange[], asRates = rates, isPlanned = false): void => {
    setChanges(asked);
    setRates(asRates);
    setFailure(undefined);
    setPlanning(isPlanned);
    newest.current += 1;
    const own = newest.current;
    const ifNewest = (then: () => void): void => {
      if (own === newest.current) then();
    };
    postTo<WhatIfAnswer>('/api/what-if', { changes: asked, ...asRates, isPlanned })
      .then(
        (given) =>
          ifNewest(() => {
            answered.current = asked;
            setAnswer(given);
          }),
        (error: Failure) =>
          ifNewest(() => {
            // A refused change would have every later one refused.
            setChanges(answered.current);
            setFailure(error);
          }),
      )
      .finally(() => ifNewest(() => setPlanning(false)));
  };
  const tell = (change: ModelChange, isBack = false): void => {
    const others = changes.filter((one) => nameOf(one) !== nameOf(change));
    ask(isBack ? others : [...others, change]);
  };
  return (
    <details class="what-if">
      <summary>What if …</summary>
      <form class="row" aria-label="What if" onSubmit={(event) => event.preventDefault()}>
        {edge !== undefined && <EdgeChanges edge={edge} changes={changes} tell={tell} />}
        {node !== undefined && <NodeChanges node={node} changes={changes} tell={tell} />}
        {(['putsPerSecond', 'readsPerSecond'] as const).map((name) => (
          <label key={name}>
            {name === 'putsPerSecond' ? 'Writes a second' : 'Reads a second, of each query below'}
            <input
              type="number"
              min="1"
              max="1000000"
              value={rates[name]}
              onChange={({ currentTarget: { valueAsNumber } }) =>
                ask(changes, { ...rates, [name]: Math.max(1, valueAsNumber || USUAL_RATES[name]) })
              }
            />
          </label>
        ))}
      </form>
      {edge !== undefined && (
        <AddOrder edge={edge} add={(change) => ask([...changes, change])} added={changes.filter(isOrder)} />
      )}
      <FailureNote failure={failure} />
      {answer !== undefined && changes.length > 0 && <Differences answer={answer} />}
      {changes.length > 0 && (
        <p class="row">
          <button type="button" disabled={isPlanning} onClick={() => ask(changes, rates, true)}>
            {isPlanning ? 'Reading a sample …' : 'Plan the migration (reads at most 512 RCU)'}
          </button>
          <button type="button" onClick={() => ask([])}>
            As it is
          </button>
        </p>
      )}
    </details>
  );
}

interface Changing {
  changes: readonly ModelChange[];
  tell: (change: ModelChange, isBack?: boolean) => void;
}

function EdgeChanges({
  edge: { type, isCounted, orders, shards, isNative },
  changes,
  tell,
}: { edge: DescribedEdge } & Changing) {
  const count = changes.find((one) => one.kind === 'count');
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={count?.isCounted ?? isCounted}
          onChange={({ currentTarget: { checked } }) =>
            tell({ kind: 'count', edge: type, isCounted: checked }, checked === isCounted)
          }
        />{' '}
        count the edges of a node
      </label>
      {orders.length > 0 && !isNative && (
        <Shards
          name="orders"
          shards={shards}
          asked={changes.find((one) => one.kind === 'edge-shards')?.shards}
          tell={(given) => tell({ kind: 'edge-shards', edge: type, shards: given }, given === shards)}
        />
      )}
    </>
  );
}

function NodeChanges({ node: { type, searches }, changes, tell }: { node: DescribedNode } & Changing) {
  return (
    <>
      {searches.flatMap(({ name, shards }) => {
        const search = name.slice(type.length + 1);
        if (typeof shards !== 'number' || search === '') return [];
        const change = (given: number): ModelChange => ({
          ...{ kind: 'search-shards', node: type, search },
          shards: given,
        });
        return [
          <Shards
            key={name}
            name={search}
            shards={shards}
            asked={changes.filter((one) => one.kind === 'search-shards').find((one) => one.search === search)?.shards}
            tell={(given) => tell(change(given), given === shards)}
          />,
        ];
      })}
    </>
  );
}

interface ShardsProps {
  name: string;
  shards: number;
  asked: number | undefined;
  tell: (shards: number) => void;
}

function Shards({ name, shards, asked = shards, tell }: ShardsProps) {
  const [shown, setShown] = useState(asked);
  useEffect(() => setShown(asked), [asked]);
  return (
    <label>
      {name}: {countText(shown, 'shard')}
      <input
        type="range"
        min="1"
        max={Math.max(MOST_SHARDS, shards)}
        value={shown}
        onInput={(event) => setShown(event.currentTarget.valueAsNumber)}
        onChange={(event) => tell(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

function AddOrder({
  edge: { type },
  add,
  added,
}: {
  edge: DescribedEdge;
  add: (change: ModelChange) => void;
  added: readonly ModelChange[];
}) {
  return (
    <form
      class="row"
      aria-label="Add an order"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const attribute = String(form.get('attribute'));
        const word = attribute.replace(/\W/g, '');
        const name = `by${word.charAt(0).toUpperCase()}${word.slice(1)}`;
        const by = { attribute, type: form.get('type') as 'string' | 'number' | 'date' };
        if (!added.some((one) => one.kind === 'order' && one.name === name))
          add({ kind: 'order', edge: type, name, by });
        event.currentTarget.reset();
      }}
    >
      <label>
        Add an order by the attribute
        <input name="attribute" required autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Its values
        <select name="type">
          <option value="string">texts</option>
          <option value="number">numbers</option>
          <option value="date">dates</option>
        </select>
      </label>
      <button type="submit">Add</button>
    </form>
  );
}

function isOrder(change: ModelChange): boolean {
  return change.kind === 'order';
}

/** The thing that a change is of: a later change of the same thing takes its place. */
function nameOf(change: ModelChange): string {
  if (change.kind === 'search-shards') return `${change.kind} ${change.node}.${change.search}`;
  return `${change.kind} ${change.edge} ${change.kind === 'order' ? change.name : ''}`;
}

function Differences({ answer: { writes, queries, dollars, diff, readability, migration } }: { answer: WhatIfAnswer }) {
  return (
    <div class="split even">
      <div>
        <h4>Costs</h4>
        <p class="bill">
          <span>
            <strong>{differenceText(dollars, '$')}</strong> a month
          </span>
        </p>
        <Rows
          label="Costs before and after"
          headings={['of', 'difference', 'now', 'then']}
          rows={[...writes.map((one) => rowOf(one, 'WCU')), ...queries.map((one) => rowOf(one, 'RCU'))]}
          empty="No write and no query costs another number of units."
        />
        <h4>Meanwhile</h4>
        <Rows
          label="What can be read during the migration"
          headings={['projection', 'until the migration is over']}
          rows={readability.map(({ name, readable }) => [<span class="key">{name}</span>, READABLE[readable]])}
          empty="Everything stays readable: nothing is built."
        />
      </div>
      <div>
        <h4>The model file</h4>
        <pre>{diff.join('\n')}</pre>
        {migration !== null && <Migration migration={migration} />}
      </div>
    </div>
  );
}

function rowOf(compared: Compared, unit: string) {
  const { name, before, after } = compared;
  return [`${name} (${unit})`, differenceText(compared), before ?? 'none', after ?? 'none'];
}

/** A difference, and its share of what was before: `+$76, +21 %`. */
function differenceText({ before, after }: Compared, unit = ''): string {
  const [from, to] = [before ?? 0, after ?? 0];
  const signed = (figure: number, own: string): string =>
    `${figure < 0 ? '−' : '+'}${own}${figureText(Math.abs(figure))}`;
  if (from === to) return 'no difference';
  return from === 0
    ? signed(to, unit)
    : `${signed(to - from, unit)}, ${signed(Math.round((100 * (to - from)) / from), '')} %`;
}

function Migration({
  migration: { changes, warnings, cost, estimate },
}: {
  migration: NonNullable<WhatIfAnswer['migration']>;
}) {
  return (
    <>
      <h4>The migration</h4>
      <ul>
        {[...changes, ...warnings].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>
        {figureText(cost.wcu)} WCU and {figureText(cost.rcu)} RCU in about {figureText(Math.ceil(cost.seconds))} s,{' '}
        {estimate.isExact ? 'of all' : `estimated from ${figureText(estimate.sampled)} of`} {figureText(estimate.items)}{' '}
        items.
      </p>
    </>
  );
}
