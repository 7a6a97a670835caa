import { figureText } from '../../../../src/foundation/figure.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { PageAnswer } from '../../api/page.ts';
import type { ListedNode } from '../../base/listed-tree.ts';
import type { TouchedPlaces } from '../../base/touched.ts';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { Pager } from '../parts/rows.tsx';
import { LiveMark, Told } from '../parts/told.tsx';
import { LeftOut, Tree } from '../parts/tree.tsx';

/** Properties of the form for levels. */
export interface LevelsFormProps {
  model: ModelAnswer;
  /** The edge type of the list. */
  edge: string;
  place: PlaceParameters;
  levels: readonly string[];
}

/** Asks which levels to show next to the nodes of a list, as `edgeloom list page --with` takes them. */
export function LevelsForm({ model, edge, place, levels }: LevelsFormProps) {
  const suggested = levelSuggestions(model, edge, levels);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const lines = String(form.get('with')).split('\n');
        const given = lines.map((line) => line.trim()).filter((line) => line !== '');
        goTo(addressOf('/explore', { ...place, with: given, maxNodes: String(form.get('maxNodes') ?? '') }));
      }}
    >
      <label>
        Levels, one a line
        <textarea
          key={levels.join('\n')}
          name="with"
          rows={Math.max(2, levels.length + 1)}
          defaultValue={levels.join('\n')}
          placeholder="KEYRESULT/GOALMEMBERSHIP:LEAD"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      {suggested.length > 0 && (
        <p>
          Add{' '}
          {suggested.map((path) => (
            <span key={path}>
              <Link to={addressOf('/explore', { ...place, with: [...levels, path] })}>{path}</Link>{' '}
            </span>
          ))}
        </p>
      )}
      <p class="quiet">TYPE, TYPE:LABEL or inbound:TYPE; a / goes a level deeper, and is \/ in a label.</p>
      <p class="row">
        <label>
          Neighbours at most
          <input
            name="maxNodes"
            inputMode="numeric"
            placeholder="1000"
            defaultValue={String(place['maxNodes'] ?? '')}
          />
        </label>
        <button type="submit">Show levels</button>
      </p>
    </form>
  );
}

/** Levels below a list: a page shows no more. */
const MOST_LEVELS = 5;
/** Paths offered at most. */
const MOST_SUGGESTED = 12;

/** Levels that could come next: below the nodes of the list, and below the nodes at the end of each given level without a label. */
export function levelSuggestions({ edges }: ModelAnswer, type: string, levels: readonly string[]): string[] {
  const listed = edges.find((edge) => edge.type === type);
  const next = (types: readonly string[], before: string): string[] =>
    edges
      .filter(({ from, labels }) => labels !== undefined && from.some((one) => types.includes(one)))
      .map((edge) => before + edge.type);
  const deeper = levels.flatMap((path) => {
    if (path.split('/').length >= MOST_LEVELS) return [];
    const last = edges.find((edge) => edge.type === path.slice(path.lastIndexOf('/') + 1));
    return last === undefined ? [] : next(last.to, `${path}/`);
  });
  const all = [...next(listed?.from ?? [], ''), ...deeper];
  return [...new Set(all)].filter((path) => !levels.includes(path)).slice(0, MOST_SUGGESTED);
}

/** The properties of a page with levels. */
export interface LevelsPageProps {
  model: ModelAnswer;
  place: PlaceParameters;
  levels: readonly string[];
  cursor: string | undefined;
}

/** A page of a list with its levels. */
export function LevelsPage({ model, place, levels, cursor }: LevelsPageProps) {
  const { part: _, ...query } = place;
  const asked = useAnswer<PageAnswer>('/api/page', { ...query, cursor });
  const touches = useTouches(asked.answer && placesOfTree(model, query, levels, asked.answer.items));
  useAskedAgain(asked, touches.count);
  return (
    <Told asked={asked}>
      {({ items, isCut, truncated, calls, rcu, steps, cursor: next }) => (
        <>
          <LiveMark live={touches} />
          <p>
            {figureText(calls)} DynamoDB calls, {figureText(rcu)} RCU
          </p>
          <Tree label="Nodes with their levels" items={items} />
          <LeftOut truncated={truncated} isCut={isCut} />
          <Pager
            first={cursor && addressOf('/explore', place)}
            next={next && addressOf('/explore', { ...place, cursor: next })}
          />
          <details>
            <summary>How it was read</summary>
            <ol>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </details>
        </>
      )}
    </Told>
  );
}

/** Nodes, and lists of nodes in the tree, that are followed at most. */
const MOST_FOLLOWED = { sources: 2_000, lists: 500 };

/** The places that a list with levels is read from: the list itself, the nodes of its tree, and the lists of edges that enter these. */
export function placesOfTree(
  { edges }: ModelAnswer,
  { type, id, order, partition }: PlaceParameters,
  levels: readonly string[],
  items: readonly ListedNode[],
): TouchedPlaces {
  const own = { type: String(type), id: String(id), ...textsOf({ order, partition }) };
  const sources = new Set<string>([own.id]);
  const add = ({ id: one, below }: ListedNode): void => {
    sources.add(one);
    for (const { nodes } of below) nodes.forEach(add);
  };
  items.forEach(add);
  const entering = new Set(
    levels.flatMap((path) =>
      path.split('/').flatMap((step) => (step.startsWith('inbound:') ? step.split(':')[1] : [])),
    ),
  );
  const lists = edges
    .filter((edge) => entering.has(edge.type) && edge.partition === undefined)
    .flatMap((edge) => {
      const ends = [...sources].filter((one) => edge.to.includes(one.slice(0, one.indexOf('-'))));
      return ends.map((end) => ({ type: edge.type, id: end }));
    });
  return {
    sources: [...sources].slice(0, MOST_FOLLOWED.sources),
    lists: [own, ...lists].slice(0, MOST_FOLLOWED.lists),
  };
}

function textsOf(parameters: PlaceParameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );
}
