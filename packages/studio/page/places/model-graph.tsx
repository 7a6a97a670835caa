import { useMemo } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { Layers } from '../parts/layers.tsx';
import { boxesNextTo, modelBoxes } from './model-boxes.ts';
import { PickedType } from './picked-type.tsx';

const SAMPLED_MS = 15_000;

/** `chosen`: such as `node USER`. */
export function ModelGraph({ model, chosen }: { model: ModelAnswer; chosen: string | undefined }) {
  const asked = useAnswer<SampleAnswer>('/api/sample');
  useAskedLater(asked, SAMPLED_MS);
  const { answer: sample } = asked;
  const { boxes, ways } = useMemo(() => modelBoxes(model, sample), [model, sample]);
  const isKnown = boxes.some(({ id }) => id === chosen);
  const picked = useMemo(() => (isKnown ? boxesNextTo(ways, chosen!) : undefined), [ways, chosen, isKnown]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <Layers
        label={`The model as a graph of the node types ${types}; choose a type to see its details`}
        {...{ boxes, ways, picked, chosen }}
      />
      <p class="quiet">
        {countText(model.nodes.length, 'node type')}, {countText(model.edges.length, 'edge type')}
        {sample !== undefined && !sample.isWhole && <>; counts estimated from {figureText(sample.items)} items</>}
      </p>
      {isKnown && <PickedType key={chosen} model={model} sample={sample} chosen={chosen!} />}
    </>
  );
}
