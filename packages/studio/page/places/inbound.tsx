import { countText } from '../../../../src/foundation/figure.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf } from '../base/address.ts';
import { FIRST_ROWS } from '../base/live.ts';
import { Link } from '../base/place.tsx';
import { questionOf, sortsOf } from '../base/question.ts';
import { useTouches } from '../base/touches.ts';
import { Priced } from '../parts/price.tsx';
import { Card, type NodePartProps } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { LevelsForm, LevelsPage } from './levels.tsx';
import { QuestionGrid, Sorts } from './question-grid.tsx';

/** The edges that enter a node, in each order of each type, and what is next to their sources. */
export function Inbound({ model, id, parameters }: NodePartProps) {
  const type = id.slice(0, id.indexOf('-'));
  const choices = model.edges
    .filter(({ to }) => to.includes(type))
    .flatMap((edge) => edge.orders.map((order) => ({ edge: edge.type, order: order.name, from: order.from })));
  const [first] = choices;
  const unordered = model.edges.filter(({ to, orders }) => to.includes(type) && orders.length === 0);
  const unlisted = unordered.length > 0 && (
    <p class="quiet">
      Edges without an order enter nodes of this type too, and no list has them:{' '}
      {unordered.map((one) => one.type).join(', ')}. Each is with its source.
    </p>
  );
  if (first === undefined) return unlisted || <p class="quiet">No edge type enters nodes of this type.</p>;
  const edge = parameters.get('type') ?? first.edge;
  const order = parameters.get('order') ?? choices.find((one) => one.edge === edge)?.order;
  const levels = parameters.getAll('with');
  const question = { ...questionOf(parameters), type: edge, id, order };
  const place = { part: 'inbound', ...question, maxNodes: parameters.get('maxNodes') ?? undefined };
  const cursor = parameters.get('cursor') ?? undefined;
  const shards = model.edges.find((one) => one.type === edge)?.shards ?? 1;
  const types = [...new Set(choices.map((one) => one.edge))];
  const title = `Edges of type ${edge} that enter the node`;
  const isTotalled = model.edges.some(({ type: one, totals }) => one === edge && totals.inbound !== undefined);
  return (
    <>
      {types.length > 1 && (
        <nav class="parts" aria-label="Edge types">
          {types.map((one) => (
            <Link
              key={one}
              to={addressOf('/explore', { id, part: 'inbound', type: one })}
              aria-current={one === edge ? 'page' : undefined}
            >
              {one}
            </Link>
          ))}
        </nav>
      )}
      {isTotalled && (
        <Card title="Totals">
          <LiveTotals id={id} type={edge} />
        </Card>
      )}
      {unlisted}
      <Priced key={edge} units={unitsOfShards(shards)} doing={`Read a page of ${countText(shards, 'shard')}`}>
        {levels.length > 0 && (
          <Card title={title}>
            <Sorts sorts={sortsOf(model, question)} isDescending={question.reverse !== undefined} />
            <LevelsPage model={model} place={place} levels={levels} cursor={cursor} />
          </Card>
        )}
        {levels.length === 0 && (
          <QuestionGrid
            {...{ model, cursor, question: { ...question, limit: question.limit ?? FIRST_ROWS } }}
            label="Inbound edges"
            title={title}
            empty="No edge enters the node in this order."
          />
        )}
      </Priced>
      <Card title="Nodes next to those of the list">
        <LevelsForm {...{ model, edge, levels, place }} />
      </Card>
    </>
  );
}

function LiveTotals({ id, type }: { id: string; type: string }) {
  const { count } = useTouches({ sources: [id] });
  return <Totals id={id} type={type} touches={count} />;
}
