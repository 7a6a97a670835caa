import type { NodeAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo, NodeLink } from '../base/place.tsx';
import { Rows } from '../parts/rows.tsx';
import { Card, type NodePartProps, Told } from '../parts/told.tsx';
import { AnyValue, jsonText } from '../parts/value.tsx';

/** Elements of an edge set that are shown of one node alone. */
const MOST_EDGES = 50;

/** Two nodes next to each other: the attributes that differ, and the edges that only one of them has. */
export function Compare({ id, parameters }: NodePartProps) {
  const other = parameters.get('with') ?? undefined;
  const first = useAnswer<NodeAnswer>('/api/node', { id });
  const second = useAnswer<NodeAnswer>(other === undefined ? undefined : '/api/node', { id: other });
  return (
    <Card title="Compare">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = String(new FormData(event.currentTarget).get('with'));
          goTo(addressOf('/explore', { id, part: 'compare', with: given }));
        }}
      >
        <label>
          With the node
          <input key={other} name="with" defaultValue={other ?? ''} required autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {other !== undefined && (
        <Told asked={first}>
          {(left) => <Told asked={second}>{(right) => <Differences left={left} right={right} />}</Told>}
        </Told>
      )}
    </Card>
  );
}

function Differences({ left, right }: { left: NodeAnswer; right: NodeAnswer }) {
  const [before, after] = [valuesOf(left), valuesOf(right)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const isDifferent = (name: string): boolean => jsonText(before.get(name)) !== jsonText(after.get(name));
  const different = names.filter(isDifferent);
  const same = names.length - different.length;
  const cell = (values: ReadonlyMap<string, unknown>, name: string) =>
    values.has(name) ? <AnyValue value={values.get(name)} /> : <span class="quiet">absent</span>;
  return (
    <>
      <Rows
        label="Attributes that differ"
        headings={['attribute', left.id, right.id]}
        rows={different.map((name) => [<bdi>{name}</bdi>, cell(before, name), cell(after, name)])}
        empty="No attribute differs."
      />
      <LeftOfSets nodes={[left, right]} />
      {same > 0 && <p class="quiet">Equal: {names.filter((name) => !isDifferent(name)).join(', ')}.</p>}
      <OnlyOf node={left} other={right} />
      <OnlyOf node={right} other={left} />
    </>
  );
}

/** Says which edges are not compared: those that are too many for a set. */
function LeftOfSets({ nodes }: { nodes: readonly NodeAnswer[] }) {
  const types = new Set(nodes.flatMap(({ left }) => left));
  if (types.size === 0) return null;
  return <p class="quiet">Not compared, as a set has no room for them: edges of {[...types].join(', ')}.</p>;
}

/** The attributes of a node and of its parts, by name. */
function valuesOf({ base, parts }: NodeAnswer): ReadonlyMap<string, unknown> {
  const ofParts = Object.entries(parts).flatMap(([part, attributes]) =>
    Object.entries(attributes).map(([name, value]): [string, unknown] => [`${part}.${name}`, value]),
  );
  return new Map([...Object.entries(base ?? {}), ...ofParts]);
}

/** The edges of a node's set that the other one lacks, labels included. */
function OnlyOf({ node, other }: { node: NodeAnswer; other: NodeAnswer }) {
  const known = new Set(other.edgeSet.map((element) => jsonText(element)));
  const isLeft = (type: string): boolean => [node, other].some(({ left }) => left.includes(type));
  const own = node.edgeSet.filter((element) => !known.has(jsonText(element)) && !isLeft(element.type));
  if (own.length === 0) return null;
  return (
    <Rows
      label={`Edges of ${node.id} alone`}
      headings={[`edges of ${node.id} alone`, 'target', 'labels']}
      rows={own.slice(0, MOST_EDGES).map(({ type, target, ...labels }) => [
        type,
        <NodeLink id={target} />,
        Object.entries(labels)
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join(', '),
      ])}
    />
  );
}
