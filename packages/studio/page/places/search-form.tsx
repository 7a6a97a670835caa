import { useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer, ValueCount } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { Choices } from '../parts/choices.tsx';

/** The ways to search, as the address names them. */
const WAYS = { eq: 'is', prefix: 'begins with', range: 'from … to', path: 'path' } as const;
type Way = keyof typeof WAYS;

/** A form for any search of the model: its fields are what that search takes. */
export function SearchForm({
  model,
  parameters,
  type,
}: {
  model: ModelAnswer;
  parameters: URLSearchParams;
  /** The node type to begin with. */
  type: string | undefined;
}) {
  const searches = model.nodes.flatMap((node) => node.searches);
  const { answer: sample } = useAnswer<SampleAnswer>('/api/sample');
  const first = model.nodes.find((node) => node.type === type)?.searches[0] ?? searches[0];
  const [name, setName] = useState(parameters.get('search') ?? first?.name ?? '');
  const search = searches.find((one) => one.name === name);
  if (search === undefined) return <p class="quiet">The model declares no searches.</p>;
  const isShown = parameters.get('search') === name;
  const valuesOf = (attribute: string): readonly ValueCount[] =>
    sample?.nodes[name.slice(0, name.indexOf('.'))]?.values[attribute] ?? [];
  return (
    <>
      <label>
        Search
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {searches.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      <Fields
        key={name}
        search={search}
        parameters={isShown ? parameters : new URLSearchParams()}
        valuesOf={valuesOf}
      />
    </>
  );
}

function Fields({
  search,
  parameters,
  valuesOf,
}: {
  search: DescribedSearch;
  parameters: URLSearchParams;
  valuesOf: (attribute: string) => readonly ValueCount[];
}) {
  const searched = search.part === undefined ? search.from : `${search.part}.${search.from}`;
  const ways = waysOf(search);
  const given = ways.find(
    (way) => parameters.has(way) || (way === 'range' && (parameters.has('from') || parameters.has('to'))),
  );
  const [way, setWay] = useState<Way>(given ?? ways[0]!);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string): string => String(form.get(name) ?? '');
        const path = form.getAll('path').map(String);
        const end = path.indexOf('');
        goTo(
          addressOf('/explore', {
            search: search.name,
            partition: text('partition'),
            reverse: text('reverse'),
            eq: text('eq'),
            prefix: text('prefix'),
            from: text('from'),
            to: text('to'),
            path: end < 0 ? path : path.slice(0, end),
          }),
        );
      }}
    >
      <p class="quiet">
        by {search.from}
        {search.shards === 1 ? '' : `, ${search.shards} shards`}
        {search.caseInsensitive ? ', case-insensitive' : ''}
      </p>
      {search.partition !== undefined && (
        <label>
          {search.partition} (partition)
          <input
            name="partition"
            defaultValue={parameters.get('partition') ?? ''}
            required
            autocomplete="off"
            list={`values-of-${search.partition}`}
          />
          <datalist id={`values-of-${search.partition}`}>
            {valuesOf(search.partition).map(({ value }) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </label>
      )}
      {ways.length > 1 && (
        <label>
          How
          <select value={way} onChange={(event) => setWay(event.currentTarget.value as Way)}>
            {ways.map((one) => (
              <option key={one} value={one}>
                {WAYS[one]}
              </option>
            ))}
          </select>
        </label>
      )}
      <Arguments search={search} way={way} parameters={parameters} />
      <label class="check">
        <input type="checkbox" name="reverse" value="true" defaultChecked={parameters.has('reverse')} />
        descending
      </label>
      <button type="submit">Search</button>
      {search.partition === undefined && search.kind === 'attribute' && (
        <Choices
          name={search.from}
          values={valuesOf(searched)}
          to={(value) => addressOf('/explore', { search: search.name, eq: value })}
        />
      )}
    </form>
  );
}

/** Which ways a search takes. */
function waysOf({ kind, type, shards }: DescribedSearch): Way[] {
  if (kind === 'path') return ['path'];
  if (shards === 'value') return ['eq'];
  return type === 'number' || kind === 'rank' ? ['eq', 'range'] : ['prefix', 'eq', 'range'];
}

function Arguments({
  search: { labels, path, type },
  way,
  parameters,
}: {
  search: DescribedSearch;
  way: Way;
  parameters: URLSearchParams;
}) {
  const given = (name: string): string => parameters.get(name) ?? '';
  if (way === 'path') {
    const segments = parameters.getAll('path');
    return (
      <>
        {path!.map((attribute, i) => (
          <label key={attribute}>
            {attribute}
            <input name="path" defaultValue={segments[i] ?? ''} autocomplete="off" />
          </label>
        ))}
      </>
    );
  }
  const names = way === 'range' ? ['from', 'to'] : [way];
  return (
    <>
      {names.map((name) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: either branch is a control
        <label key={name}>
          {{ from: 'from', to: 'to', eq: 'value', prefix: 'beginning' }[name]}
          {type === 'date' ? ' (ISO 8601)' : ''}
          {labels === undefined ? (
            <input
              name={name}
              defaultValue={given(name)}
              inputMode={type === 'number' ? 'decimal' : undefined}
              autocomplete="off"
            />
          ) : (
            <select name={name}>
              {['', ...labels].map((label) => (
                <option key={label} selected={label === given(name)}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </label>
      ))}
    </>
  );
}
