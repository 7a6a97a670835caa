import { explainQuery } from '../../../src/trust/explain/query.ts';
import { throughCalls } from '../../support/calls.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import type { Kind } from '../questions.ts';
import { type Operation, RAN } from './operation.ts';

/** Operations of readers beyond the whole lists that all others ask for. */

/** Asks questions of some kinds before and after a change of everything. */
function asking(name: string, kinds: readonly Kind[], covers: readonly string[], why: string): Operation {
  const run = async (bench: Bench): Promise<number> => {
    await bench.begin();
    const { asked } = await bench.expectAnswers({ kinds });
    await bench.putAll(1);
    await bench.consume();
    await bench.expectAnswers({ kinds });
    return asked;
  };
  return {
    ...{ name, covers },
    run: async (bench) => ((await run(bench)) === 0 ? { state: 'none', why } : RAN),
  };
}

const NO_LIST = 'It adds no list, and the model around it has none.';

/** The columns of readers. */
export const READING_OPERATIONS: readonly Operation[] = [
  asking(
    'reads of the truth',
    ['base'],
    [
      'command:get',
      'command:list',
      'reader.getNode',
      'reader.getEdge',
      'reader.edges',
      'reader.has',
      'reader.getCollection',
    ],
    'never',
  ),
  asking(
    'ranges',
    ['range'],
    ['search.between', 'search.beginsWith', 'search.equals', 'search.path'],
    'It has no order of single values.',
  ),
  asking('pages by cursor', ['pages'], ['command:search'], NO_LIST),
  asking('counts', ['count'], ['command:count', 'search.count', 'reader.inDegree'], NO_LIST),
  asking('totals', ['total'], ['command:total'], 'It keeps no sums and no groups.'),
  asking('shards', ['shards'], ['reader.shards'], 'Only searches in order have shards that are counted.'),
  asking('page of three steps', ['page'], ['reader.page'], 'It has no order of edges, of which a page is made.'),
  asking('page with levels', ['levels'], [], 'It has no order of edges, of which a page is made.'),
  asking('filter', ['filter'], [], 'No index item holds attributes to filter by.'),
  {
    name: 'explain of a query',
    run: async (bench) => {
      await bench.begin();
      const questions = await bench.questions(['view', 'search', 'equal', 'inbound']);
      for (const { ask, text, expected } of questions) {
        const calls: string[] = [];
        const counting = throughCalls(bench.rig.store, async (method, [first], run) => {
          const asked = JSON.stringify(first);
          // Don't count reads of the registry, nor a read without keys, which isn't sent.
          const isRead = /^(get|getMany|query|queryNative)$/.test(method);
          if (isRead && asked !== '[]' && !asked.includes('~edgeloom')) calls.push(method);
          return await run();
        });
        const { plan, result } = await explainQuery(counting, (noted) => ask(bench.reader(bench.model, noted)));
        expectSame(result, expected, text);
        const queries = calls.filter((name) => name.startsWith('query')).length;
        holds(plan.partitions.length >= Math.min(1, queries), `explain names no partition of ${text}`);
        expectSame(plan.calls, calls.length, `the number of calls that explain counts of ${text}`);
      }
      return RAN;
    },
  },
];
