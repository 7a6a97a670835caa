import { countText } from '../../../../src/foundation/figure.ts';
import type { QueryPlan } from '../../../../src/trust/explain/query.ts';
import { addressOf } from '../base/address.ts';
import { isAsked, questionOf } from '../base/question.ts';
import { useCopy } from '../parts/copy.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { QueryForm } from './query-form.tsx';
import { QueryStart } from './query-start.tsx';
import { QuestionGrid } from './question-grid.tsx';

/** Asks any question that the model answers, and shows the rows, how they were read, and the code that asks the same. */
export function Query({ model, parameters }: PlaceProps) {
  const question = questionOf(parameters);
  return (
    <div class="split">
      <Card title="Question">
        <QueryForm key={addressOf('', question)} model={model} question={question} />
      </Card>
      <div>
        {isAsked(model, question) ? (
          <QuestionGrid {...{ model, question, label: 'Rows', cursor: parameters.get('cursor') ?? undefined }}>
            {({ code, plan }) => (
              <>
                <Code code={code} />
                <Plan plan={plan} />
              </>
            )}
          </QuestionGrid>
        ) : (
          <QueryStart model={model} />
        )}
      </div>
    </div>
  );
}

function Plan({ plan: { steps, partitions } }: { plan: QueryPlan }) {
  return (
    <Card title="Plan">
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <details>
        <summary>{countText(partitions.length, 'partition')}</summary>
        <ul>
          {partitions.map((partition) => (
            <li key={partition} class="key">
              <bdi>{partition}</bdi>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

function Code({ code }: { code: string }) {
  const { copy, told } = useCopy();
  return (
    <Card title="TypeScript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        <code>{code}</code>
      </pre>
      <p class="row">
        <button type="button" onClick={() => copy(code)}>
          Copy
        </button>
        {told}
      </p>
      <p class="quiet">
        Save it next to <code>edgeloom.config.ts</code>, for example as <code>ask.ts</code>, and run{' '}
        <code>npx jiti ask.ts</code>.
      </p>
    </Card>
  );
}
