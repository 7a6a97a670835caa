import { graphOf, type ModelSpec } from '../../simulator/packs/evolution/specs.ts';

/** The model that the table has at first. */
const EARLIER: ModelSpec = {
  ...{ view: ['name'], budget: 65_536, list: false, groupView: ['title'], groupSearch: false, extra: false },
  ...{ indexes: 2, code: [] },
  searches: { name: { order: { by: 'attribute', name: 'name' }, caseInsensitive: true, shards: 4, project: [] } },
  edge: {
    ...{ set: ['role'], mark: 0, copy: [], degree: true, shards: 1, projectSource: [], owner: false },
    orders: { gsi0: { by: 'rank', name: 'role', table: 0 } },
    project: ['role', 'since'],
  },
};

/** Other shards, a search more, an attribute more in the view, and a rank table that turns the order round. */
const LATER: ModelSpec = {
  ...EARLIER,
  view: ['name', 'status'],
  searches: {
    name: { ...EARLIER.searches['name']!, shards: 8 },
    status: { order: { by: 'attribute', name: 'status' }, shards: 2, project: [] },
  },
  edge: { ...EARLIER.edge, orders: { gsi0: { by: 'rank', name: 'role', table: 1 } } },
};

/** Which of the two models a process was deployed with. */
export type Side = 'old' | 'new';

/** The two models as data, for the oracle of model changes. */
export const SPECS: Readonly<Record<Side, ModelSpec>> = { old: EARLIER, new: LATER };

/** The two models. */
export const [earlierModel, laterModel] = [graphOf(EARLIER), graphOf(LATER)];
