import { IdForm } from '../parts/id-form.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { NodeView } from './node-view.tsx';
import { SearchForm } from './search-form.tsx';
import { SearchResults } from './search-results.tsx';
import { Start } from './start.tsx';

/** Finds nodes, by id or by a search of the model, and shows one. */
export function Explore({ model, parameters }: PlaceProps) {
  const id = parameters.get('id');
  const type = id?.slice(0, id.indexOf('-')) ?? parameters.get('type') ?? undefined;
  return (
    <div class={id === null ? 'split' : 'split shown'}>
      <div>
        <Card title="Find a node">
          <IdForm id={id ?? ''} to="/explore" />
        </Card>
        <Card title="Search">
          <SearchForm key={parameters.get('search') ?? type} {...{ model, parameters, type }} />
        </Card>
      </div>
      <div>
        {id !== null && <NodeView key={id} model={model} id={id} parameters={parameters} />}
        {id === null && isAsked(model, parameters) && <SearchResults parameters={parameters} />}
        {id === null && !isAsked(model, parameters) && <Start model={model} path="/explore" type={type} />}
      </div>
    </div>
  );
}

/** Tells whether the address has every argument that its search needs. */
function isAsked({ nodes }: PlaceProps['model'], parameters: URLSearchParams): boolean {
  const name = parameters.get('search');
  const search = nodes.flatMap(({ searches }) => searches).find((one) => one.name === name);
  // One that the model does not have is asked for too: the answer says so.
  if (search === undefined) return name !== null;
  const hasPartition = search.partition === undefined || parameters.has('partition');
  return hasPartition && (search.shards !== 'value' || parameters.has('eq'));
}
