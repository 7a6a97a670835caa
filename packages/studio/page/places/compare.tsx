import { byKey } from '../../../../src/foundation/entries.ts';
import type { NodeAnswer } from '../../api/nodes.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer, useLive } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { AnswerOf, Card } from '../parts/basics.tsx';
import { Rows } from '../parts/rows.tsx';
import { jsonText, Value } from '../parts/value.tsx';

interface CompareProps {
  id: string;
  asked: Asked<NodeAnswer>;
  other: string | undefined;
}

export function Compare({ id, asked, other }: CompareProps) {
  const askedOther = useAnswer<NodeAnswer>(other === undefined ? undefined : '/api/node', { id: other });
  useLive(askedOther);
  return (
    <Card title="Compare">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = String(new FormData(event.currentTarget).get('with'));
          goTo(addressOf('/node', { id, part: 'compare', with: given }));
        }}
      >
        <label>
          Compare with
          <input key={other} name="with" defaultValue={other ?? ''} required autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {other !== undefined && (
        <AnswerOf asked={asked}>
          {(left) => <AnswerOf asked={askedOther}>{(right) => <Differences nodes={[left, right]} />}</AnswerOf>}
        </AnswerOf>
      )}
    </Card>
  );
}

function Differences({ nodes }: { nodes: readonly [NodeAnswer, NodeAnswer] }) {
  const leftOut = new Set(nodes.flatMap(({ left }) => left));
  const values = nodes.map((node) => valuesOf(node, leftOut));
  const names = [...new Set(values.flatMap((one) => [...one.keys()]))];
  const isSame = (name: string): boolean => jsonText(values[0]!.get(name)) === jsonText(values[1]!.get(name));
  const same = names.filter(isSame);
  return (
    <>
      <Rows
        label="What differs"
        headings={['attribute or edge', ...nodes.map(({ id }) => id)]}
        rows={names
          .filter((name) => !isSame(name))
          .map((name) => [
            <bdi>{name}</bdi>,
            ...values.map((one) =>
              one.has(name) ? <Value value={one.get(name)} /> : <span class="quiet">absent</span>,
            ),
          ])}
        empty="Nothing differs."
      />
      {leftOut.size > 0 && (
        <p class="quiet">Not compared, because the view has no room for these edges: {[...leftOut].join(', ')}.</p>
      )}
      {same.length > 0 && <p class="quiet">Same in both: {same.join(', ')}.</p>}
    </>
  );
}

function valuesOf({ base, parts, edgeSet }: NodeAnswer, leftOut: ReadonlySet<string>): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(base ?? {}).sort(byKey),
    ...Object.entries(parts).flatMap(([part, attributes]) =>
      Object.entries(attributes)
        .sort(byKey)
        .map(([name, value]): [string, unknown] => [`${part}.${name}`, value]),
    ),
    ...edgeSet
      .filter(({ type }) => !leftOut.has(type))
      .map(({ type, target, ...labels }): [string, unknown] => {
        const texts = Object.entries(labels).map(
          ([name, value]) => `${name} ${typeof value === 'string' ? value : jsonText(value)}`,
        );
        return [`${type} ${target}`, texts.join(', ') || 'present'];
      }),
  ]);
}
