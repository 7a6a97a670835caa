import { useState } from 'preact/hooks';
import { conditionOf, SIGNS } from '../../../../src/client/read/request/where-text.ts';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedOrder, DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer, TypeSample, ValueCount } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import type { Question } from '../base/question.ts';
import { NodeField } from '../parts/node-field.tsx';

/** The values that a question asks for, and the parameters of each way. */
const WAYS = {
  all: { text: 'all', fields: [] },
  equals: { text: 'is', fields: ['equals'] },
  atLeast: { text: 'is at least', fields: ['atLeast'] },
  beginsWith: { text: 'begins with', fields: ['beginsWith'] },
  range: { text: 'from … to', fields: ['from', 'to'] },
  path: { text: 'leading values', fields: [] },
} as const;
type Way = keyof typeof WAYS;

/** Filters that a form has room for. */
const FILTERS = 2;

/** Properties of the form. */
interface QueryFormProps {
  model: ModelAnswer;
  /** The question that it shows first. */
  question: Question;
}

/** The beginning of the choice of all nodes of a type: no type and no search has a space. */
const ALL = 'all ';

/** A form for any question to the projections: its fields are what the model says. */
export function QueryForm({ model, question }: QueryFormProps) {
  const { answer: sample } = useAnswer<SampleAnswer>('/api/sample');
  const lists = model.edges.filter(({ orders }) => orders.length > 0);
  const searches = model.nodes.flatMap((node) => node.searches);
  const listed = model.nodes.filter(({ isListed }) => isListed);
  const all = listed.map(({ type }) => ALL + type);
  const given =
    question.nodes === undefined
      ? (question.search ?? question.type ?? lists[0]?.type ?? searches[0]?.name ?? all[0] ?? '')
      : ALL + question.nodes;
  const [subject, setSubject] = useState(given);
  const edge = lists.find(({ type }) => type === subject);
  const search = searches.find(({ name }) => name === subject);
  const [orderName, setOrder] = useState(question.order ?? '');
  if (lists.length + searches.length + all.length === 0) {
    return <p class="quiet">The model has no orders, searches or lists of nodes.</p>;
  }
  const order = search ?? edge?.orders.find(({ name }) => name === orderName) ?? edge?.orders[0];
  const sampled = edge === undefined ? sample?.nodes[subject.slice(0, subject.indexOf('.'))] : sample?.edges[edge.type];
  const own: Question = given === subject ? question : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        goTo(addressOf('/query', questionOfForm(new FormData(event.currentTarget), search !== undefined)));
      }}
    >
      <label>
        List or search
        <select
          name="subject"
          value={subject}
          onChange={(event) => {
            setSubject(event.currentTarget.value);
            setOrder('');
          }}
        >
          <optgroup label="Edges that enter a node">
            {lists.map(({ type }) => (
              <option key={type}>{type}</option>
            ))}
          </optgroup>
          {all.length > 0 && (
            <optgroup label="All nodes of a type">
              {all.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </optgroup>
          )}
          <optgroup label="Searches">
            {searches.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </optgroup>
        </select>
      </label>
      {edge !== undefined && (
        <NodeField name="id" label={`Node that they enter (${edge.to.join(', ')})`} types={edge.to} id={own.id ?? ''} />
      )}
      {edge !== undefined && (
        <label>
          Order
          <select
            name="order"
            value={order === undefined ? '' : (order as { name: string }).name}
            onChange={(event) => setOrder(event.currentTarget.value)}
          >
            {edge.orders.map(({ name, from }) => (
              <option key={name} value={name}>
                {name}: by {from}
              </option>
            ))}
          </select>
        </label>
      )}
      {(edge ?? search)?.partition !== undefined && (
        <label>
          {(edge ?? search)!.partition} (partition)
          <input
            name="partition"
            defaultValue={own.partition ?? ''}
            required
            autocomplete="off"
            list="values-of-partition"
          />
          <datalist id="values-of-partition">
            {(sampled?.values[(edge ?? search)!.partition!] ?? []).map(({ value }) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </label>
      )}
      {order !== undefined && (
        <Values
          key={`${subject} ${orderName}`}
          {...{ order, search, question: own }}
          choices={sampled?.values[search?.part === undefined ? order.from : `${search.part}.${order.from}`] ?? []}
        />
      )}
      <Filters filters={(edge ?? search)?.filters ?? []} given={own.where ?? []} sample={sampled} />
      <div class="row">
        <label>
          Rows
          <input name="limit" type="number" min="1" max="500" defaultValue={own.limit ?? '20'} required />
        </label>
        <label class="check">
          <input type="checkbox" name="reverse" value="true" defaultChecked={own.reverse !== undefined} />
          descending
        </label>
      </div>
      <button type="submit">Ask</button>
    </form>
  );
}

/** The question of a form, as the address has it. */
function questionOfForm(form: FormData, isSearch: boolean): Question {
  const text = (name: string): string => String(form.get(name) ?? '');
  const [names, signs, values] = ['whereName', 'whereSign', 'whereValue'].map((name) => form.getAll(name).map(String));
  const path = form.getAll('path').map(String);
  const end = path.indexOf('');
  return {
    ...(isSearch
      ? { search: text('subject') }
      : text('subject').startsWith(ALL)
        ? { nodes: text('subject').slice(ALL.length) }
        : { type: text('subject'), id: text('id'), order: text('order') }),
    ...Object.fromEntries(
      ['equals', 'atLeast', 'beginsWith', 'from', 'to', 'partition', 'reverse', 'limit'].map((name) => [
        name,
        text(name),
      ]),
    ),
    path: end < 0 ? path : path.slice(0, end),
    where: names!.flatMap((name, i) => (name === '' ? [] : [`${name}${signs![i]!}${values![i]!}`])),
  };
}

/** Which ways an order, or a search, takes. */
function waysOf({ kind, type, path }: DescribedOrder, search: DescribedSearch | undefined): Way[] {
  if (path !== undefined) return search === undefined ? ['all', 'path'] : ['path'];
  if (search?.shards === 'value') return ['equals'];
  if (kind === 'rank') return search === undefined ? ['all', 'equals', 'atLeast'] : ['all', 'equals', 'range'];
  return type === 'number' ? ['all', 'equals', 'range'] : ['all', 'equals', 'beginsWith', 'range'];
}

function Values({
  order,
  search,
  question,
  choices,
}: Pick<QueryFormProps, 'question'> & {
  order: DescribedOrder;
  search: DescribedSearch | undefined;
  /** Values that the attribute has often. */
  choices: readonly ValueCount[];
}) {
  const ways = waysOf(order, search);
  const segments = question.path ?? [];
  const given = ways.find((way) =>
    way === 'path' ? segments.length > 0 : WAYS[way].fields.some((name) => question[name] !== undefined),
  );
  const [way, setWay] = useState<Way>(given ?? ways[0]!);
  return (
    <>
      {ways.length > 1 && (
        <label>
          {order.from}
          <select value={way} onChange={(event) => setWay(event.currentTarget.value as Way)}>
            {ways.map((one) => (
              <option key={one} value={one}>
                {WAYS[one].text}
              </option>
            ))}
          </select>
        </label>
      )}
      {way === 'path' &&
        order.path!.map((name, i) => (
          <label key={name}>
            {name}
            <input name="path" defaultValue={segments[i] ?? ''} autocomplete="off" />
          </label>
        ))}
      {WAYS[way].fields.map((name) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: either branch is a control
        <label key={name}>
          {{ from: 'from', to: 'to' }[name as string] ?? 'value'}
          {order.type === 'date' ? ' (ISO 8601)' : ''}
          {order.labels === undefined ? (
            <>
              <input name={name} defaultValue={question[name] ?? ''} autocomplete="off" list={`values-for-${name}`} />
              <datalist id={`values-for-${name}`}>
                {choices.map(({ value }) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
            </>
          ) : (
            <select name={name}>
              {order.labels.map((label) => (
                <option key={label} selected={label === question[name]}>
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

/** Filters by attributes that the index items hold. */
function Filters({
  filters,
  given: texts,
  sample,
}: {
  filters: 'ALL' | readonly string[];
  given: readonly string[];
  sample: TypeSample | undefined;
}) {
  const given = texts.flatMap((text) => conditionOf(text) ?? []);
  const names = filters === 'ALL' ? Object.keys(sample?.values ?? {}) : filters;
  if (filters !== 'ALL' && filters.length === 0) return null;
  const values = [...new Set(names.flatMap((name) => (sample?.values[name] ?? []).map(({ value }) => value)))];
  return (
    <fieldset>
      <legend>Only where</legend>
      {Array.from({ length: FILTERS }, (_, i) => (
        <div key={i} class="row">
          <input
            name="whereName"
            aria-label={`Attribute ${i + 1}`}
            defaultValue={given[i]?.name ?? ''}
            list="filter-names"
            autocomplete="off"
            placeholder="attribute"
          />
          <select name="whereSign" aria-label={`Comparison ${i + 1}`} defaultValue={given[i]?.sign ?? '='}>
            {SIGNS.map((sign) => (
              <option key={sign}>{sign}</option>
            ))}
          </select>
          <input
            name="whereValue"
            aria-label={`Value ${i + 1}`}
            defaultValue={given[i]?.value ?? ''}
            list="filter-values"
            autocomplete="off"
            placeholder="value"
          />
        </div>
      ))}
      <p class="quiet">Rows removed by a filter still consume read capacity.</p>
      <datalist id="filter-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="filter-values">
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </fieldset>
  );
}
