import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { FIRST_ROWS, isAsked, type Question, questionOf, questionOfType, subjectOf } from '../base/question.ts';
import { NewNode } from '../items/create.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { NodeView } from './node-view.tsx';
import { PricedRows } from './question-grid.tsx';
import { SomeNodes, Types } from './start.tsx';

/** A list of nodes, or the node in it that is chosen. */
export function Explore({ model, parameters }: PlaceProps) {
  const id = parameters.get('id');
  if (id !== null) return <NodeView key={id} model={model} id={id} parameters={parameters} />;
  const question = questionHere({ model, parameters });
  const type = parameters.get('type') ?? subjectOf(model, question).nodeType;
  return (
    <div class="split">
      <div>
        <Types model={model} type={type} />
        {model.isWritable && (
          <Card title="Create">
            <NewNode key={type} type={type} />
          </Card>
        )}
      </div>
      <div>
        <Listed {...{ model, parameters, question, type }} />
        <SomeNodes key={type} type={type} />
      </div>
    </div>
  );
}

/** The question of the address, or the one for all nodes of its type. */
function questionHere({ model, parameters }: PlaceProps): Question {
  const { type, ...question } = { ...questionOf(parameters), limit: parameters.get('limit') ?? FIRST_ROWS };
  const isNamed = question.search !== undefined || question.nodes !== undefined;
  return { ...question, ...(!isNamed && type !== undefined && questionOfType(model, type)) };
}

function Listed({ model, parameters, question, type }: PlaceProps & { question: Question; type: string | undefined }) {
  const { search, nodes } = question;
  if (!isAsked(model, question)) {
    if (search !== undefined) {
      return (
        <p>
          The search {search} takes a value: <Link to={addressOf('/query', question)}>choose one</Link>.
        </p>
      );
    }
    if (type === undefined) return null;
    return <p class="quiet">No list and no search of the model has all nodes of {type}. Some of them, in no order:</p>;
  }
  return (
    <PricedRows
      {...{ model, question }}
      cursor={parameters.get('cursor') ?? undefined}
      label="Results"
      title={search === undefined ? `Nodes of ${nodes}` : `Results of ${search}`}
    />
  );
}
