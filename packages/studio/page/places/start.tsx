import type { RandomNodesAnswer } from '../../api/live.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { useFlow } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Ago } from '../parts/ago.tsx';
import { Badge, Card, Told } from '../parts/told.tsx';

/** Nodes that were written last, that are shown. */
const RECENT = 12;

/** The properties of the beginning of a place. */
export interface StartProps {
  model: ModelAnswer;
  /** The place that shows a node: `/explore`. */
  path: string;
  /** A node type: only its nodes. */
  type: string | undefined;
}

/** Nodes to begin with, where none is named: by type, those written last, and some by chance. */
export function Start({ model, path, type }: StartProps) {
  const sample = useAnswer<SampleAnswer>('/api/sample');
  const random = useAnswer<RandomNodesAnswer>('/api/random', { type });
  const flow = useFlow();
  const recent = (flow?.recent ?? []).filter(({ id }) => type === undefined || id.startsWith(`${type}-`));
  return (
    <div class="start">
      <Card title="Types">
        <Told asked={sample}>
          {(known) => (
            <ul class="types">
              {model.nodes.map((node) => (
                <li key={node.type}>
                  <Link
                    to={addressOf(path, { type: node.type === type ? undefined : node.type })}
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
      <Card title={type === undefined ? 'Some nodes' : `Some nodes of ${type}`}>
        <Told asked={random}>
          {({ nodes }) => (
            <>
              {nodes.length === 0 && <p class="quiet">There are none yet.</p>}
              <ul class="nodes">
                {nodes.map(({ id, name }) => (
                  <li key={id}>
                    <PlaceOfNode path={path} id={id} /> {name !== null && <bdi>{name}</bdi>}
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
      <Card title="Last written">
        {recent.length === 0 && (
          <p class="quiet">
            {flow?.hasStream === false ? 'The table has no stream.' : 'The stream shows no node that was written.'}
          </p>
        )}
        <ul class="nodes">
          {recent.slice(0, RECENT).map(({ id, atMs, isDeleted }) => (
            <li key={id}>
              <PlaceOfNode path={path} id={id} /> {isDeleted && <Badge kind="late">deleted</Badge>}{' '}
              <span class="quiet">
                <Ago at={atMs} />
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

function PlaceOfNode({ path, id }: { path: string; id: string }) {
  return (
    <Link to={addressOf(path, { id })} class="key">
      <bdi>{id}</bdi>
    </Link>
  );
}
