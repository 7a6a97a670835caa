import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Rows } from '../parts/rows.tsx';
import { Card, Told } from '../parts/told.tsx';

const MOST_QUESTIONS = 10;

export function QueryStart({ model }: { model: ModelAnswer }) {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  return (
    <Told asked={asked}>
      {(sample) => (
        <Card title="Lists and searches">
          <Rows
            label="Lists and searches to begin with"
            headings={['list or search', 'values', 'edges or nodes of the type']}
            rows={[listsOf(model, sample), searchesOf(model, sample)].flatMap((questions) =>
              questions
                .sort((left, right) => right.count - left.count)
                .slice(0, MOST_QUESTIONS)
                .map(({ title, parameters, by, count }) => [
                  <Link to={addressOf('/query', parameters)}>{title}</Link>,
                  by,
                  sampledText(count, sample),
                ]),
            )}
            empty="No list or search can be shown yet."
          />
        </Card>
      )}
    </Told>
  );
}

function listsOf({ edges }: ModelAnswer, sample: SampleAnswer) {
  return edges.flatMap(({ type, orders: [order], partition }) => {
    const { busiest = null, count = 0 } = sample.edges[type] ?? {};
    if (order === undefined || partition !== undefined || busiest === null) return [];
    return [{ title: `${type} of ${busiest}`, parameters: { type, id: busiest }, by: `by ${order.from}`, count }];
  });
}

function searchesOf({ nodes }: ModelAnswer, sample: SampleAnswer) {
  return nodes.flatMap(({ type, searches }) =>
    searches.flatMap(({ name: search, from, kind, partition, shards, part }) => {
      const { count = 0, values = {} } = sample.nodes[type] ?? {};
      const [often] = (kind === 'attribute' && values[part === undefined ? from : `${part}.${from}`]) || [];
      if (count === 0 || partition !== undefined || kind === 'path') return [];
      if (often !== undefined) {
        const { value } = often;
        return [{ title: search, parameters: { search, equals: value }, by: `${from} is ${value}`, count }];
      }
      return shards === 'value' ? [] : [{ title: search, parameters: { search }, by: `by ${from}`, count }];
    }),
  );
}
