import { useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedOrder, DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer, ValueCount } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import type { Question } from '../base/question.ts';
import { ChoiceField, NodeField } from '../parts/fields.tsx';

/** The parameters of each way to give values. */
const WAYS = {
  all: { text: 'all', fields: [] },
  equals: { text: 'is', fields: ['equals'] },
  atLeast: { text: 'is at least', fields: ['atLeast'] },
  beginsWith: { text: 'begins with', fields: ['beginsWith'] },
  range: { text: 'from … to', fields: ['from', 'to'] },
  path: { text: 'leading values', fields: [] },
} as const;
type Way = keyof typeof WAYS;

interface QueryFormProps {
  model: ModelAnswer;
  question: Question;
}

/** Types and searches have no spaces. */
const ALL = 'all ';

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
  const { filters = [], partition } = edge ?? search ?? {};
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
          <optgroup label="Edges into a node">
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
        <NodeField name="id" label={`Node (${edge.to.join(', ')})`} types={edge.to} id={own.id ?? ''} />
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
      {partition !== undefined && (
        <ChoiceField
          name="partition"
          label={`${partition} (partition)`}
          defaultValue={own.partition ?? ''}
          required
          choices={sampled?.values[partition] ?? []}
        />
      )}
      {order !== undefined && (
        <Values
          key={`${subject} ${orderName}`}
          {...{ order, search, question: own }}
          choices={sampled?.values[search?.part === undefined ? order.from : `${search.part}.${order.from}`] ?? []}
        />
      )}
      {(filters === 'ALL' || filters.length > 0) && (
        <label>
          Filters, one per line{filters !== 'ALL' && ` (${filters.join(', ')})`}
          <textarea
            name="where"
            rows={2}
            defaultValue={(own.where ?? []).join('\n')}
            spellcheck={false}
            placeholder={filters === 'ALL' ? 'attribute=value' : `${filters[0]}=…`}
          />
        </label>
      )}
      <div class="row">
        <label>
          Rows
          <input name="limit" type="number" min="1" max="500" defaultValue={own.limit ?? '50'} required />
        </label>
        <label class="check">
          <input type="checkbox" name="reverse" value="true" defaultChecked={own.reverse !== undefined} />
          descending
        </label>
      </div>
      <button type="submit">Run</button>
    </form>
  );
}

function questionOfForm(form: FormData, isSearch: boolean): Question {
  const text = (name: string): string => String(form.get(name) ?? '');
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
    where: text('where')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}

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
      {WAYS[way].fields.map((name) => {
        const label = `${WAYS[way].fields.length > 1 ? name : 'value'}${order.type === 'date' ? ' (ISO 8601)' : ''}`;
        const values = order.labels?.map((value) => ({ value })) ?? choices;
        return <ChoiceField key={name} {...{ name, label }} choices={values} defaultValue={question[name] ?? ''} />;
      })}
    </>
  );
}
