import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link, NodeLink } from '../base/place.tsx';
import { questionOfType } from '../base/question.ts';
import { sampledText } from '../base/words.ts';
import { Rows } from '../parts/rows.tsx';
import { Card, Told } from '../parts/told.tsx';

const MOST = 10;
const FEW = 3;

export function QueryStart({ model }: { model: ModelAnswer }) {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  return (
    <>
      <p class="quiet">Choose a list or a search to see its rows, plan, cost and TypeScript.</p>
      <Told asked={asked}>
        {(sample) => (
          <div class="cards">
            <Card title="Nodes" wide>
              <Rows
                label="Types and their nodes"
                headings={['type', 'nodes', 'for example']}
                rows={model.nodes.map(({ type }) => {
                  const question = questionOfType(model, type);
                  const { count = 0, some = [] } = sample.nodes[type] ?? {};
                  return [
                    question === undefined ? type : <Link to={addressOf('/query', question)}>{type}</Link>,
                    sampledText(count, sample),
                    <ul class="entries">
                      {some.slice(0, FEW).map((node) => (
                        <li key={node.id}>
                          <NodeLink {...node} />
                        </li>
                      ))}
                    </ul>,
                  ];
                })}
              />
            </Card>
            <Card title="Lists">
              <Rows
                label="Lists to begin with"
                headings={['list', 'order', 'edges of the type']}
                rows={listsOf(model, sample).map(({ type, id, by, count }) => [
                  <Link to={addressOf('/query', { type, id })}>
                    {type} of {id}
                  </Link>,
                  `by ${by}`,
                  sampledText(count, sample),
                ])}
                empty="No list has any edges yet."
              />
            </Card>
            <Card title="Searches">
              <Rows
                label="Searches to begin with"
                headings={['search', 'where', 'nodes of the type']}
                rows={searchesOf(model, sample).map(({ search, where, count, parameters }) => [
                  <Link to={addressOf('/query', { search, ...parameters })}>{search}</Link>,
                  where,
                  sampledText(count, sample),
                ])}
                empty="No search can be shown without a value."
              />
            </Card>
          </div>
        )}
      </Told>
    </>
  );
}

function listsOf({ edges }: ModelAnswer, sample: SampleAnswer) {
  return edges
    .flatMap(({ type, orders, partition }) => {
      const { busiest = null, count = 0 } = sample.edges[type] ?? {};
      const [order] = orders;
      if (order === undefined || partition !== undefined || busiest === null) return [];
      return [{ type, id: busiest, by: order.from, count }];
    })
    .sort((left, right) => right.count - left.count)
    .slice(0, MOST);
}

function searchesOf({ nodes }: ModelAnswer, sample: SampleAnswer) {
  return nodes
    .flatMap(({ type, searches }) =>
      searches.flatMap(({ name, from, kind, partition, shards, part }) => {
        const { count = 0, values = {} } = sample.nodes[type] ?? {};
        const value =
          kind === 'attribute' ? values[part === undefined ? from : `${part}.${from}`]?.[0]?.value : undefined;
        if (count === 0 || partition !== undefined || kind === 'path') return [];
        if (value !== undefined) {
          return [{ search: name, where: `${from} is ${value}`, count, parameters: { equals: value } }];
        }
        return shards === 'value' ? [] : [{ search: name, where: `by ${from}`, count, parameters: {} }];
      }),
    )
    .sort((left, right) => right.count - left.count)
    .slice(0, MOST);
}
