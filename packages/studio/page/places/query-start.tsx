import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useSample } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { AnswerOf, Card } from '../parts/basics.tsx';
import { Rows } from '../parts/rows.tsx';

export function QueryStart({ model }: { model: ModelAnswer }) {
  const asked = useSample();
  return (
    <Card title="Lists to begin with">
      <AnswerOf asked={asked}>
        {(sample) => (
          <Rows
            label="The longest list of each edge type"
            headings={['list', 'order', 'edges of the type']}
            rows={longestLists(model, sample).map(({ title, parameters, by, count }) => [
              <Link to={addressOf('/query', parameters)}>{title}</Link>,
              by,
              sampledText(count, sample),
            ])}
            empty="No list can be shown yet. Choose a list or a search in the form."
          />
        )}
      </AnswerOf>
    </Card>
  );
}

function longestLists({ edges }: ModelAnswer, sample: SampleAnswer) {
  return edges
    .flatMap(({ type, orders: [order], partition }) => {
      const { busiest = null, count = 0 } = sample.edges[type] ?? {};
      if (order === undefined || partition !== undefined || busiest === null) return [];
      return [{ title: `${type} of ${busiest}`, parameters: { type, id: busiest }, by: `by ${order.from}`, count }];
    })
    .sort((left, right) => right.count - left.count);
}
