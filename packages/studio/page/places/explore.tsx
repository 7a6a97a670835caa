import { countText } from '../../../../src/foundation/figure.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf } from '../base/address.ts';
import { FIRST_ROWS } from '../base/live.ts';
import { Link } from '../base/place.tsx';
import { isAsked, type Question, questionOf, questionOfType, shardsAsked } from '../base/question.ts';
import { IdForm } from '../parts/id-form.tsx';
import { Priced } from '../parts/price.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { NodeView } from './node-view.tsx';
import { QueryForm } from './query-form.tsx';
import { QuestionGrid } from './question-grid.tsx';
import { Start } from './start.tsx';

/** Finds nodes, by id or in a list, and shows one. */
export function Explore({ model, parameters }: PlaceProps) {
  const id = parameters.get('id');
  const type = id?.slice(0, id.indexOf('-')) ?? parameters.get('type') ?? undefined;
  const question = questionHere({ model, parameters }, type);
  return (
    <div class={id === null ? 'split' : 'split shown'}>
      <div>
        <Card title="Find a node">
          <IdForm id={id ?? ''} to="/explore" />
        </Card>
        <Card title="List nodes or edges">
          <QueryForm key={addressOf('', question)} model={model} question={question} placeOf={placeOfQuestion} />
        </Card>
      </div>
      <div>
        {id === null ? (
          <Listed {...{ model, parameters, question, type }} />
        ) : (
          <NodeView key={id} model={model} id={id} parameters={parameters} />
        )}
      </div>
    </div>
  );
}

/** The question that the form shows: that of the address, else one for the nodes of its type. */
function questionHere({ model, parameters }: PlaceProps, type: string | undefined): Question {
  const { type: _, ...question } = { ...questionOf(parameters), limit: parameters.get('limit') ?? FIRST_ROWS };
  // With a node the type may be that of the edges that enter it.
  const isOfEdges = parameters.get('part') === 'inbound' && parameters.has('type');
  if (parameters.has('id'))
    return isOfEdges ? { ...question, type: parameters.get('type')! } : { limit: question.limit };
  const isNamed = question.search !== undefined || question.nodes !== undefined;
  return { ...question, ...(!isNamed && type !== undefined && questionOfType(model, type)) };
}

/** Edges that enter a node are a part of its place. */
function placeOfQuestion({ id, ...question }: Question): string {
  return addressOf('/explore', id === undefined ? question : { id, part: 'inbound', ...question });
}

function Listed({ model, parameters, question, type }: PlaceProps & { question: Question; type: string | undefined }) {
  if (!isAsked(model, question)) {
    return (
      <>
        {type !== undefined && (
          <p class="quiet">No list and no search of the model has all nodes of {type}: these are some, in no order.</p>
        )}
        <Start model={model} path="/explore" type={type} />
      </>
    );
  }
  const { search, nodes } = question;
  const shards = shardsAsked(model, question);
  return (
    <>
      <Priced key={search} units={unitsOfShards(shards)} doing={`Read a page of ${countText(shards, 'shard')}`}>
        <QuestionGrid
          {...{ model, question }}
          cursor={parameters.get('cursor') ?? undefined}
          label="Results"
          title={search === undefined ? `Nodes of ${nodes}` : `Results of ${search}`}
        >
          {() => (
            <p>
              <Link to={addressOf('/query', question)}>How it was read, and its TypeScript</Link>
            </p>
          )}
        </QuestionGrid>
      </Priced>
      {type !== undefined && <Start model={model} path="/explore" type={type} />}
    </>
  );
}
