import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel, Standing } from '../../../src/core/model/compiled.ts';
import { node } from '../../../src/core/model/schema.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const GRAPH = defineGraph({ table: 'records', nodes: { USER: node() } });
const [source, sortKey] = ['USER-1', '~ix/name'];

/** The model with a registry that treats every derived item alike. */
function treating(kind: Standing['kind']): CompiledModel {
  return { ...GRAPH, standings: { of: () => ({ kind, name: 'search:USER.name@1' }), changing: [], ready: new Set() } };
}

it.each([
  { now: 'misplaced', isThere: false },
  // Another migration has registered the search as one of its own since the check read the registry.
  { now: 'changing', isThere: true },
] as const)('a misplaced item whose treatment is $now by the newest registry is there: $isThere', async (drawn) => {
  const store = new StreamedStore(GRAPH);
  await store.put({ source: { S: source }, target: { S: sortKey }, r: { N: '1' }, gsi0pk: { S: 'USER.name#1' } });
  const mender = new Repairer({
    ...{ graph: treating('misplaced'), store },
    model: fixedModel(treating(drawn.now)),
  });
  await mender.repair([{ source, sortKey }]);
  const { item } = await store.get({ source, target: sortKey }, { consistent: true });
  expect(item !== undefined).toBe(drawn.isThere);
});
