import { useState } from 'preact/hooks';
import type { EdgeResult } from '../../../../src/client/read/request/result.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { QueryAnswer, QueryRow } from '../../api/query.ts';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { type Live, useLive } from '../base/live.ts';
import { NodeLink } from '../base/place.tsx';
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { AttributeRows, LiveMark } from '../parts/paged-rows.tsx';
import { Pager } from '../parts/rows.tsx';
import { Card, type PlaceProps, Told } from '../parts/told.tsx';
import { LeftOut, Tree } from '../parts/tree.tsx';
import { AnyValue } from '../parts/value.tsx';
import { placesOfTree } from './levels.tsx';
import { QueryForm } from './query-form.tsx';
import { QueryStart } from './query-start.tsx';

const SINGLE = ['type', 'id', 'search', 'order', 'equals', 'atLeast', 'beginsWith', 'from', 'to', 'partition'] as const;
const LISTS = ['path', 'where', 'with'] as const;
const REST = ['reverse', 'limit'] as const;

/** Asks any question that the model answers, and shows the rows, how they were read, and the code that asks the same. */
export function Query({ model, parameters }: PlaceProps) {
  const asked: PlaceParameters = {
    ...Object.fromEntries([...SINGLE, ...REST].map((name) => [name, parameters.get(name) ?? undefined])),
    ...Object.fromEntries(LISTS.map((name) => [name, parameters.getAll(name)])),
  };
  const isAsked = (parameters.has('type') && parameters.has('id')) || parameters.has('search');
  const cursor = parameters.get('cursor') ?? undefined;
  return (
    <div class="split">
      <Card title="Question">
        <QueryForm key={parameters.toString()} model={model} parameters={parameters} />
      </Card>
      <div>{isAsked ? <Answered model={model} asked={asked} cursor={cursor} /> : <QueryStart model={model} />}</div>
    </div>
  );
}

function Answered({
  model,
  asked,
  cursor,
}: {
  model: ModelAnswer;
  asked: PlaceParameters;
  cursor: string | undefined;
}) {
  const found = useAnswer<QueryAnswer>('/api/query', { ...asked, cursor });
  const isFirst = found.answer !== undefined && found.answer.tree === undefined && cursor === undefined;
  const live = rowsOf(useLive<EdgeResult | QueryRow>(isFirst ? asked : undefined));
  const tree = found.answer?.tree;
  const levels = [asked['with'] ?? []].flat();
  const touches = useTouches(tree && placesOfTree(model, asked, levels, tree.items));
  useAskedAgain(found, touches.count);
  return (
    <Told asked={found}>
      {({ rows, tree, truncated, cursor: next, plan, code }) => (
        <>
          <Card title={countText(rows.length, 'row')}>
            <p class="cost">
              <strong>{figureText(plan.rcu)} RCU</strong>, {countText(plan.calls, 'DynamoDB call')},{' '}
              {countText(plan.partitions.length, 'partition')}
            </p>
            {tree === undefined ? (
              <AttributeRows
                label="Rows"
                items={rows}
                own={{
                  headings: rows.some(({ value }) => value !== undefined) ? ['id', 'value'] : ['id'],
                  row: ({ id, value }) => [
                    <NodeLink id={id} />,
                    ...(value === undefined ? [] : [<AnyValue value={value} />]),
                  ],
                }}
                attributesOf={({ attributes }) => attributes}
                live={isFirst ? live : undefined}
                empty="Nothing is found."
              />
            ) : (
              <>
                <LiveMark live={touches} />
                <Tree label="Nodes with their levels" items={tree.items} />
                <LeftOut truncated={truncated} isCut={tree.isCut} />
              </>
            )}
            <Pager
              first={cursor && addressOf('/query', asked)}
              next={next && addressOf('/query', { ...asked, cursor: next })}
            />
          </Card>
          <Code code={code} />
          <Card title="Plan">
            <ol>
              {plan.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            {plan.why !== undefined && (
              <ul class="quiet">
                {plan.why.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            )}
            <details>
              <summary>{countText(plan.partitions.length, 'partition')}</summary>
              <ul>
                {plan.partitions.map((partition) => (
                  <li key={partition} class="key">
                    <bdi>{partition}</bdi>
                  </li>
                ))}
              </ul>
            </details>
          </Card>
        </>
      )}
    </Told>
  );
}

/** A list's edges as rows of their sources. */
function rowsOf({ rows, ...live }: Live<EdgeResult | QueryRow>): Live<QueryRow> {
  if (rows === undefined) return live;
  return {
    ...live,
    rows: rows.map(({ item, ...row }) => ({ ...row, item: 'source' in item ? { ...item, id: item.source } : item })),
  };
}

function Code({ code }: { code: string }) {
  const [copied, setCopied] = useState<'copied' | 'select it'>();
  const copy = (): void => {
    navigator.clipboard.writeText(code).then(
      () => setCopied('copied'),
      // A browser may forbid it: the text can be selected.
      () => setCopied('select it'),
    );
  };
  return (
    <Card title="TypeScript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        <code>{code}</code>
      </pre>
      <p class="row">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span role="status">
          {copied === 'copied' ? 'Copied.' : copied && 'The browser forbids it: select the text.'}
        </span>
      </p>
      <p class="quiet">model.ts is the file of your model; it exports graph.</p>
    </Card>
  );
}
