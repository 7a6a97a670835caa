import { useState } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedOrder, DescribedSearch } from '../../base/describe-model.ts';
import { addressOf } from '../base/address.ts';
import { goTo } from '../base/place.tsx';
import type { Question } from '../base/question.ts';
import { NodeField, TextField } from '../parts/fields.tsx';

const VALUES = {
  equals: 'is',
  atLeast: 'is at least',
  beginsWith: 'begins with',
  from: 'from',
  to: 'to',
} as const;
type ValueName = keyof typeof VALUES;

interface QueryFormProps {
  model: ModelAnswer;
  question: Question;
}

/** The space distinguishes it from types and searches. */
const ALL = 'all ';

export function QueryForm({ model, question }: QueryFormProps) {
  const lists = model.edges.filter(({ orders }) => orders.length > 0);
  const searches = model.nodes.flatMap((node) => node.searches);
  const all = model.nodes.filter(({ isListed }) => isListed).map(({ type }) => ALL + type);
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
  const listed = edge?.orders.find(({ name }) => name === orderName) ?? edge?.orders[0];
  const order = search ?? listed;
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
          <Choices label="Edges into a node" names={lists.map(({ type }) => type)} />
          <Choices label="All nodes of a type" names={all} />
          <Choices label="Searches" names={searches.map(({ name }) => name)} />
        </select>
      </label>
      {edge !== undefined && (
        <>
          <NodeField
            key={own.id}
            name="id"
            label={`Node (${edge.to.join(', ')})`}
            types={edge.to}
            defaultValue={own.id ?? ''}
          />
          <label>
            Order
            <select name="order" value={listed?.name} onChange={(event) => setOrder(event.currentTarget.value)}>
              {edge.orders.map(({ name, from }) => (
                <option key={name} value={name}>
                  {name}: by {from}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      {partition !== undefined && (
        <TextField name="partition" label={`${partition} (partition)`} defaultValue={own.partition ?? ''} required />
      )}
      {order !== undefined && <Values key={`${subject} ${orderName}`} {...{ order, search, question: own }} />}
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
      <label class="check">
        <input type="checkbox" name="reverse" value="true" defaultChecked={own.reverse !== undefined} />
        descending
      </label>
      <button type="submit">Run</button>
    </form>
  );
}

function Choices({ label, names }: { label: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
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
    ...Object.fromEntries([...Object.keys(VALUES), 'partition', 'reverse'].map((name) => [name, text(name)])),
    path: end < 0 ? path : path.slice(0, end),
    where: text('where')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}

function valuesOf({ kind, type, path }: DescribedOrder, search: DescribedSearch | undefined): ValueName[] {
  if (path !== undefined) return [];
  if (search?.shards === 'value') return ['equals'];
  if (kind === 'rank') return search === undefined ? ['equals', 'atLeast'] : ['equals', 'from', 'to'];
  return type === 'number' ? ['equals', 'from', 'to'] : ['equals', 'beginsWith', 'from', 'to'];
}

function Values({
  order,
  search,
  question,
}: Pick<QueryFormProps, 'question'> & { order: DescribedOrder; search: DescribedSearch | undefined }) {
  const { from, path = [], labels, type } = order;
  const hint = labels !== undefined ? ` (${labels.join(', ')})` : type === 'date' ? ' (ISO 8601)' : '';
  return (
    <>
      {path.map((name, i) => (
        <TextField key={name} name="path" label={name} defaultValue={question.path?.[i] ?? ''} />
      ))}
      {valuesOf(order, search).map((name) => (
        <TextField
          key={name}
          name={name}
          label={`${from} ${VALUES[name]}${hint}`}
          defaultValue={question[name] ?? ''}
        />
      ))}
    </>
  );
}
