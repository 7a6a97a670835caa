import { isLosslessNumber } from 'lossless-json';
import type { Truncated } from '../../../../src/client/read/levels/level-walk.ts';
import type { ListedGroup, ListedNode } from '../../base/listed-tree.ts';
import { NodeLink } from '../base/place.tsx';
import { Badge } from './told.tsx';
import { InlineValue } from './value.tsx';

/** Identifiers of left-out nodes that are written out. */
const MOST_NAMED = 20;

/** Nodes, each with what is next to it below it, level by level. */
export function Tree({ items, label }: { items: readonly ListedNode[]; label: string }) {
  if (items.length === 0) return <p class="quiet">No edge enters the node in this order.</p>;
  return (
    <ol class="tree" aria-label={label}>
      {items.map((node) => (
        <Branch key={node.id} node={node} />
      ))}
    </ol>
  );
}

function Branch({ node }: { node: ListedNode }) {
  return (
    <li>
      <Line node={node} />
      {node.below.map((group) => (
        <Group key={JSON.stringify([group.type, group.isEntering, group.labels])} group={group} />
      ))}
    </li>
  );
}

/** Neighbours by one type of edges: on one line, or as branches where something is below them. */
function Group({ group: { type, isEntering, labels, nodes } }: { group: ListedGroup }) {
  const isDeep = nodes.some(({ below }) => below.length > 0);
  return (
    <div class={isDeep ? 'group deep' : 'group'}>
      <p class="edge-type">
        {type}
        {isEntering && ' that enter'}
        {Object.entries(labels).map(([name, value]) => (
          <span key={name} title={name}>
            {' '}
            <Badge kind="plain">
              <InlineValue value={value} />
            </Badge>
          </span>
        ))}
      </p>
      <ul>
        {nodes.map((node) => (
          <Branch key={node.id} node={node} />
        ))}
      </ul>
    </div>
  );
}

function Line({ node: { id, attributes, edge, isAbove } }: { node: ListedNode }) {
  return (
    <p class="line">
      {attributes === null ? <Badge kind="late">absent</Badge> : <Values attributes={attributes} />}{' '}
      {edge !== undefined && (
        <span class="quiet">
          by <InlineValue value={edge} />
        </span>
      )}{' '}
      <NodeLink id={id} />
      {isAbove === true && <span class="quiet"> with its neighbours further up</span>}
    </p>
  );
}

/** Attributes on one line: a single one without its name. */
function Values({ attributes }: { attributes: Record<string, unknown> }) {
  const entries = flatEntries(attributes);
  return (
    <>
      {entries.map(([name, value], i) => (
        <span key={name}>
          {i > 0 && ' '}
          {entries.length > 1 && (
            <span class="quiet">
              <bdi>{name}</bdi>{' '}
            </span>
          )}
          <InlineValue value={value} />
        </span>
      ))}
    </>
  );
}

/** Attributes by name, those within a map by a path: `STATE.seen`. */
function flatEntries(attributes: Record<string, unknown>, prefix = ''): [string, unknown][] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
    const own = prefix + name;
    return isMap ? flatEntries(value as Record<string, unknown>, `${own}.`) : [[own, value]];
  });
}

/** Names the nodes that are not in a tree, and the bound that left them out. */
export function LeftOut({ truncated, isCut }: { truncated: Truncated | undefined; isCut: boolean }) {
  const { reason, ids = [], edgesOf = [] } = truncated ?? {};
  const named = (all: readonly string[]) =>
    all.slice(0, MOST_NAMED).map((id) => (
      <span key={id}>
        <NodeLink id={id} />{' '}
      </span>
    ));
  const more = (all: readonly string[]) => (all.length > MOST_NAMED ? `and ${all.length - MOST_NAMED} more` : '');
  return (
    <>
      {reason !== undefined && (
        <div class="note bad">
          <p>
            Left out beyond {reason === 'depth' ? 'the deepest level' : 'the most neighbours of a page'}:{' '}
            {ids.length === 0 ? 'nodes that are not known. ' : named(ids)}
            {more(ids)}
          </p>
          {edgesOf.length > 0 && (
            <p>
              Not all edges were read of {named(edgesOf)}
              {more(edgesOf)}
            </p>
          )}
        </div>
      )}
      {isCut && <p class="note bad">The tree has more nodes than fit here. Choose fewer levels.</p>}
    </>
  );
}
