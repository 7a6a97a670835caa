import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelChange } from '../../../cost/what-if.ts';
import type { Compared, WhatIfAnswer } from '../../api/what-if.ts';
import type { DescribedEdge, DescribedNode } from '../../base/describe-model.ts';
import { postTo, useDoing } from '../base/ask.ts';
import { FailureNote } from '../parts/basics.tsx';
import { Rows } from '../parts/rows.tsx';

const MOST_SHARDS = 200;

export function WhatIf({ node, edge }: { node: DescribedNode | undefined; edge: DescribedEdge | undefined }) {
  const [answer, setAnswer] = useState<WhatIfAnswer>();
  const { isRunning, failure, run } = useDoing();
  const compare = async (form: FormData, isPlanned: boolean): Promise<void> => {
    const [putsPerSecond, readsPerSecond] = ['puts', 'reads'].map((name) => Number(form.get(name)));
    const changes = [...(edge === undefined ? [] : edgeChanges(edge, form)), ...(node ? nodeChanges(node, form) : [])];
    setAnswer(await postTo<WhatIfAnswer>('/api/what-if', { changes, putsPerSecond, readsPerSecond, isPlanned }));
  };
  return (
    <details>
      <summary>What if …</summary>
      <form
        class="row"
        aria-label="What if"
        onSubmit={(event) => {
          event.preventDefault();
          const isPlanned = (event.submitter as HTMLButtonElement).value === 'plan';
          const form = new FormData(event.currentTarget);
          run(() => compare(form, isPlanned));
        }}
      >
        {edge !== undefined && <EdgeFields edge={edge} />}
        {node?.searches.map(
          ({ name, shards }) =>
            typeof shards === 'number' && <Shards key={name} name={nameIn(node, name)} shards={shards} />,
        )}
        <label>
          Writes per second
          <input type="number" name="puts" min="1" max="1000000" defaultValue="100" required />
        </label>
        <label>
          Reads per second of each query
          <input type="number" name="reads" min="1" max="1000000" defaultValue="10" required />
        </label>
        <button type="submit" disabled={isRunning}>
          Compare costs
        </button>
        <button type="submit" class="plain" value="plan" disabled={isRunning}>
          Plan the migration (reads at most 512 RCU)
        </button>
      </form>
      <FailureNote failure={failure} />
      {answer !== undefined && <Differences answer={answer} />}
    </details>
  );
}

function nameIn({ type }: DescribedNode, search: string): string {
  return search.slice(type.length + 1);
}

function EdgeFields({ edge: { isCounted, orders, shards, isNative } }: { edge: DescribedEdge }) {
  return (
    <>
      <label class="check">
        <input type="checkbox" name="count" defaultChecked={isCounted} /> Count the edges of a node
      </label>
      {orders.length > 0 && !isNative && <Shards name="orders" shards={shards} />}
      <label>
        Add an order by attribute
        <input name="attribute" autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Type of its values
        <select name="type">
          <option value="string">text</option>
          <option value="number">number</option>
          <option value="date">date</option>
        </select>
      </label>
    </>
  );
}

function edgeChanges({ type, isCounted, shards }: DescribedEdge, form: FormData): ModelChange[] {
  const wanted = Number(form.get('orders') ?? shards);
  const attribute = String(form.get('attribute'));
  const word = attribute.replace(/\W/g, '');
  const name = `by${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const by = { attribute, type: form.get('type') as 'string' | 'number' | 'date' };
  return [
    ...(form.has('count') === isCounted ? [] : [{ kind: 'count' as const, edge: type, isCounted: !isCounted }]),
    ...(wanted === shards ? [] : [{ kind: 'edge-shards' as const, edge: type, shards: wanted }]),
    ...(attribute === '' ? [] : [{ kind: 'order' as const, edge: type, name, by }]),
  ];
}

function nodeChanges(node: DescribedNode, form: FormData): ModelChange[] {
  return node.searches.flatMap(({ name, shards }) => {
    const search = nameIn(node, name);
    const wanted = Number(form.get(search) ?? shards);
    if (typeof shards !== 'number' || wanted === shards) return [];
    return [{ kind: 'search-shards' as const, node: node.type, search, shards: wanted }];
  });
}

function Shards({ name, shards }: { name: string; shards: number }) {
  const [shown, setShown] = useState(shards);
  return (
    <label>
      {name}: {countText(shown, 'shard')}
      <input
        type="range"
        name={name}
        min="1"
        max={Math.max(MOST_SHARDS, shards)}
        value={shown}
        onInput={(event) => setShown(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

function Differences({ answer: { writes, queries, dollars, diff, migration } }: { answer: WhatIfAnswer }) {
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
          headings={['operation', 'difference', 'now', 'then']}
          rows={[...writes.map((one) => rowOf(one, 'WCU')), ...queries.map((one) => rowOf(one, 'RCU'))]}
          empty="All writes and queries cost the same as now."
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

function differenceText({ before, after }: Compared, unit = ''): string {
  const [from, to] = [before ?? 0, after ?? 0];
  const signed = (figure: number, own: string): string =>
    `${figure < 0 ? '−' : '+'}${own}${figureText(Math.abs(figure))}`;
  if (from === to) return 'no difference';
  return from === 0
    ? signed(to, unit)
    : `${signed(to - from, unit)}, ${signed(Math.round((100 * (to - from)) / from), '')}\u00a0%`;
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
