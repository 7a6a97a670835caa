import { countText } from '../../../../src/foundation/figure.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf } from '../base/address.ts';
import { FIRST_ROWS } from '../base/live.ts';
import { Link } from '../base/place.tsx';
import { questionOf } from '../base/question.ts';
import { useTouches } from '../base/touches.ts';
import { Priced } from '../parts/price.tsx';
import { Card, type NodePartProps } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { QuestionGrid } from './question-grid.tsx';

/** The edges of a type that enter a node, in each order of theirs. `listed`: the type; undefined: the first. */
export function Inbound({ model, id, parameters, listed }: NodePartProps & { listed: string | undefined }) {
  const own = id.slice(0, id.indexOf('-'));
  const entering = model.edges.filter(({ to }) => to.includes(own));
  const ordered = entering.filter(({ orders }) => orders.length > 0);
  const unordered = entering.filter(({ orders }) => orders.length === 0);
  const unlisted = unordered.length > 0 && (
    <p class="quiet">
      Edges without an order enter nodes of this type too, and no list has them:{' '}
      {unordered.map((one) => one.type).join(', ')}. Each is with its source.
    </p>
  );
  const [first] = ordered;
  if (first === undefined) return unlisted || <p class="quiet">No edge type enters nodes of this type.</p>;
  const type = listed ?? first.type;
  const edge = ordered.find((one) => one.type === type);
  const question = {
    ...questionOf(parameters),
    ...{
      type,
      id,
      order: parameters.get('order') ?? edge?.orders[0]?.name,
      limit: parameters.get('limit') ?? FIRST_ROWS,
    },
  };
  const cursor = parameters.get('cursor') ?? undefined;
  const toQuery = addressOf('/query', question);
  const { shards = 1, partition, totals } = edge ?? {};
  if (partition !== undefined && question.partition === undefined) {
    return (
      <p>
        The lists of {type} take a value of {partition}: <Link to={toQuery}>choose one</Link>.
      </p>
    );
  }
  return (
    <>
      {totals?.inbound !== undefined && (
        <Card title="Totals">
          <LiveTotals id={id} type={type} />
        </Card>
      )}
      {unlisted}
      <Priced key={type} units={unitsOfShards(shards)} doing={`Read a page of ${countText(shards, 'shard')}`}>
        <QuestionGrid
          {...{ model, cursor, question }}
          label="Inbound edges"
          title={`Edges of type ${type} that enter the node`}
          empty="No edge enters the node in this order."
        >
          {() => (
            <p>
              <Link to={toQuery}>Filter it, add levels, or take its TypeScript</Link>
            </p>
          )}
        </QuestionGrid>
      </Priced>
    </>
  );
}

function LiveTotals({ id, type }: { id: string; type: string }) {
  const { count } = useTouches({ sources: [id] });
  return <Totals id={id} type={type} touches={count} />;
}
