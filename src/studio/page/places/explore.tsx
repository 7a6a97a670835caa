import { IdForm } from '../parts/id-form.tsx';
import { Card, type PlaceProps } from '../parts/told.tsx';
import { NodeView } from './node-view.tsx';
import { SearchForm } from './search-form.tsx';
import { SearchResults } from './search-results.tsx';

/** Finds nodes, by id or by a search of the model, and shows one. */
export function Explore({ model, parameters }: PlaceProps) {
  const id = parameters.get('id');
  return (
    <div class="split">
      <div>
        <Card title="Find a node">
          <IdForm id={id ?? ''} to="/explore" />
        </Card>
        <Card title="Search">
          <SearchForm model={model} parameters={parameters} />
        </Card>
      </div>
      <div>
        {id !== null && <NodeView key={id} model={model} id={id} parameters={parameters} />}
        {id === null && parameters.has('search') && <SearchResults parameters={parameters} />}
        {id === null && !parameters.has('search') && (
          <p class="quiet">Name a node by its id, or search for one: the forms are made from the model.</p>
        )}
      </div>
    </div>
  );
}
