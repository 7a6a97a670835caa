import { useState } from 'preact/hooks';
import { countText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf } from '../base/address.ts';
import { isAsked, type Question, questionOf, shardsAsked, subjectOf } from '../base/question.ts';
import { NewNode } from '../items/create.tsx';
import { Priced } from '../parts/price.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { QueryForm } from './query-form.tsx';
import { QueryStart } from './query-start.tsx';
import { QuestionGrid } from './question-grid.tsx';

export function Query({ model, parameters }: PlaceProps) {
  const question = questionOf(parameters);
  const { nodeType } = subjectOf(model, question);
  return (
    <div class="split">
      <div>
        <Card title="Build a query">
          <QueryForm key={addressOf('', question)} model={model} question={question} />
        </Card>
        {model.isWritable && <NewNode key={nodeType} type={nodeType} />}
      </div>
      <div>
        {isAsked(model, question) ? (
          <Answer model={model} question={question} cursor={parameters.get('cursor') ?? undefined} />
        ) : (
          <QueryStart model={model} />
        )}
      </div>
    </div>
  );
}

function Answer(props: { model: ModelAnswer; question: Question; cursor: string | undefined }) {
  const { model, question } = props;
  const shards = shardsAsked(model, question);
  return (
    <Priced
      key={question.search ?? question.type}
      units={unitsOfShards(shards)}
      doing={`Read a page from ${countText(shards, 'shard')}`}
    >
      <QuestionGrid {...props}>{({ code }) => <Code code={code} />}</QuestionGrid>
    </Priced>
  );
}

function Code({ code }: { code: string }) {
  const [told, setTold] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(code).then(
      () => setTold('Copied.'),
      // A browser may forbid copying.
      () => setTold("The browser doesn't allow copying. Select the text instead."),
    );
  };
  return (
    <Card title="TypeScript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <p class="row">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span role="status">{told}</span>
      </p>
      <p class="quiet">
        Save it next to <code>edgeloom.config.ts</code>, for example as <code>ask.ts</code>, and run{' '}
        <code>npx jiti ask.ts</code>.
      </p>
    </Card>
  );
}
