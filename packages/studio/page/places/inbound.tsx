import { addressOf } from '../base/address.ts';
import { useTouches } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { FIRST_ROWS, questionOf } from '../base/question.ts';
import { Card, type NodePartProps } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { PricedRows } from './question-grid.tsx';

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
  const { partition, totals } = edge ?? {};
  if (partition !== undefined && question.partition === undefined) {
    return (
      <p>
        The lists of {type} take a value of {partition}: <Link to={addressOf('/query', question)}>choose one</Link>.
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
      <PricedRows
        {...{ model, question }}
        cursor={parameters.get('cursor') ?? undefined}
        label="Inbound edges"
        title={`Edges of type ${type} that enter the node`}
        empty="No edge enters the node in this order."
      />
    </>
  );
}

function LiveTotals({ id, type }: { id: string; type: string }) {
  const { count } = useTouches(id);
  return <Totals id={id} type={type} touches={count} />;
}
