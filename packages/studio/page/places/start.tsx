import type { RandomNodesAnswer } from '../../api/live.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link, NodeLink } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Card, Told } from '../parts/told.tsx';

/** The node types, each with the way to its nodes. `type`: the one that is shown. */
export function Types({ model, type }: { model: ModelAnswer; type: string | undefined }) {
  const sample = useAnswer<SampleAnswer>('/api/sample');
  return (
    <Card title="Types">
      <Told asked={sample}>
        {(known) => (
          <ul class="types">
            {model.nodes.map((node) => (
              <li key={node.type}>
                <Link
                  to={addressOf('/explore', { type: node.type === type ? undefined : node.type })}
                  aria-current={node.type === type ? 'true' : undefined}
                >
                  <span>{node.type}</span> <strong>{sampledText(known.nodes[node.type]?.count ?? 0, known)}</strong>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Told>
    </Card>
  );
}

/** Some nodes by chance, of a type or of all. */
export function SomeNodes({ type }: { type: string | undefined }) {
  const random = useAnswer<RandomNodesAnswer>('/api/random', { type });
  return (
    <Card title={type === undefined ? 'Some nodes' : `Some nodes of ${type}`}>
      <Told asked={random}>
        {({ nodes }) => (
          <>
            {nodes.length === 0 && <p class="quiet">There are none yet.</p>}
            <ul class="nodes">
              {nodes.map(({ id, name }) => (
                <li key={id}>
                  <NodeLink id={id} name={name} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Told>
      <button type="button" disabled={random.isWaiting} onClick={random.again}>
        Show others
      </button>
    </Card>
  );
}
