import { PLANTED } from '../simulator/planted/all.ts';
import { type Change, replaceInFile } from '../simulator/planted/changes.ts';
import { bugNamed, type Mutant } from '../simulator/planted/mutant.ts';

const ALL = PLANTED.map(({ mutant }) => mutant);

/**
 * A planted bug for each column of the matrix: the production code with one line broken. Its column finds it, which shows that the
 * column looks at what it names. A bug of a protocol rule is named as the simulator's table names it; the others break what only
 * their operation uses.
 */

/** The bug of a column: the name of a bug of the simulators, or a change of the code. */
export type ColumnBug = { named: Mutant['name'] } | { change: Change };

/** The changes of the code that plant the bug of a column; throws where the column has none. */
export function bugOf(column: string): Mutant {
  const bug = Object.hasOwn(COLUMN_BUGS, column) ? COLUMN_BUGS[column]! : undefined;
  if (bug === undefined) throw new Error(`COLUMN_BUGS has no bug for the column ${column}.`);
  return mutantOf(column, bug);
}

/** The changes of the code that plant a bug which a column finds. */
export function mutantOf(column: string, bug: ColumnBug): Mutant {
  const changes = 'named' in bug ? bugNamed(ALL, bug.named).changes : [bug.change];
  return { name: column, rule: 'Its column of the matrix finds it.', changes };
}

function inFile(file: string, expression: string, code: string): ColumnBug {
  return { change: replaceInFile(file.startsWith('packages/') ? file : `src/${file}`, expression, code) };
}

/** The bugs, by the names of the columns. */
export const COLUMN_BUGS: Readonly<Record<string, ColumnBug>> = {
  'first write': inFile('client/read/nodes/degree.ts', 'storedCount(item)', '(storedCount(item) ?? 0) + 1'),
  change: { named: 'index-fields-left' },
  delete: { named: 'copies-left-behind' },
  'expiry of base items': inFile(
    'core/plan/derive.ts',
    'image === undefined',
    "image === undefined || ('graph' in plan && plan.graph.table.ttl in image)",
  ),
  clock: { named: 'deleted-before-its-end' },
  'late duplicate': { named: 'count-by-record' },
  'crash and retry': inFile(
    'foundation/for-each.ts',
    'work(next.value, begun++)',
    'work(next.value, begun++).catch(() => undefined)',
  ),
  'give-up and redrive': inFile(
    'trust/repair/redrive-records.ts',
    'projector.project(slice, { remainingMs })',
    'projector.project(slice.slice(1), { remainingMs })',
  ),
  'quarantine and redrive': inFile('trust/repair/redrive.ts', 'result.repaired += 1', 'result.repaired += 0'),
  'refusal and redrive': inFile('core/plan/quarantine-entry.ts', '{ SS: [target] }', "{ SS: ['-'] }"),
  'clean check': inFile('trust/check/partition.ts', 'this.derivedItems += 1', 'this.derivedItems += 0'),
  'a lost item found and repaired': inFile('trust/check/findings.ts', '!this.isLive && this.isExpected', 'false'),
  'a wrong item found and repaired': { named: 'check-no-elements' },
  'an item too many found and repaired': { named: 'check-no-orphans' },
  'subject export': inFile('trust/subject/export-subject.ts', 'walked.source !== id', 'walked.source === id'),
  'subject erase': inFile('trust/subject/erase-subject.ts', 'this.expiryMs(item) <= this.nowMs()', 'false'),
  rebuild: inFile('trust/check/inspect.ts', 'this.repairDrift(findings, suspects)', 'Promise.resolve()'),
  'groups that find room again': inFile(
    'trust/repair/repairs.ts',
    'nameValuesThatNowFit(context, key)',
    'Promise.resolve()',
  ),
  observe: inFile('trust/observe/observer.ts', 'touch.stampMs >= leastMs', 'touch.stampMs >= 0'),
  feed: inFile('client/feed/changes-of.ts', 'isSameRow(index, oldImage!, newImage!)', 'true'),
  explain: inFile('trust/explain/explain.ts', 'kind.originsOf(graph, key, parsed, item)', '[]'),
  'check of an export': inFile('trust/check/export/export.ts', 'suspects.push(source)', 'suspects.length'),
  'migrate: add': { named: 'evolution-ready-unbuilt' },
  'migrate: change': inFile(
    'registry/effective.ts',
    'all.filter(isIn)',
    "all.filter(({ state }) => state === 'ready')",
  ),
  'migrate: withdraw': inFile('migrate/action.ts', 'generation === live.at(-1)', 'generation === live.at(0)'),
  'migrate: retire': inFile('migrate/action.ts', 'generation.definition !== own', 'generation.definition === own'),
  'migrate: drop': inFile('migrate/walks/remove.ts', 'items.filter(isOwned)', '[]'),
  'old reader next to a new one': { named: 'evolution-other-meaning' },
  'old consumer next to a new one': { named: 'evolution-own-model' },
  'new consumer before the migration': { named: 'evolution-own-model' },
  'cursor across a migration': inFile('registry/definition.ts', "settingsIn(SEARCH_OPTIONS, search, 'order')", '({})'),
  'own write in a session': { named: 'session-rows-kept' },
  'own write in a session with lowWatermark': inFile(
    'client/session/session.ts',
    'lowWatermark === undefined || lowWatermark < write.at + CLOCK_MARGIN_MS',
    'lowWatermark === undefined || lowWatermark < write.at + Number.MAX_SAFE_INTEGER',
  ),
  wait: inFile('client/read/wait.ts', 'isPassed && differing.length === 0', 'isPassed'),
  'put by the writer': inFile(
    'client/write/item/single.ts',
    'context.store.delete(key)',
    'Promise.resolve({ wcu: 0 })',
  ),
  'many puts': inFile('client/write/batch.ts', '[...last.values()]', '[...last.values()].slice(1)'),
  update: inFile(
    'client/write/update/seen.ts',
    'Object.keys(present).filter((name) => !Object.hasOwn(next, name))',
    '[] as string[]',
  ),
  condition: inFile('client/write/item/conditions.ts', 'Object.keys(equal).length > 0', 'false'),
  transaction: inFile(
    'client/write/transaction.ts',
    'this.require(() => nodeKey(this.graph, id), conditions)',
    "this.delete(() => nodeKey(this.graph, 'USER-none'), {})",
  ),
  deleteNodeWithEdges: inFile('client/write/cascade.ts', 'keys.filter((_, i) => items[i] !== undefined)', '[]'),
  'reads of the truth': inFile('client/read/nodes/edges.ts', 'found?.target === target', 'found?.target !== target'),
  ranges: inFile(
    'client/read/lists/search-list.ts',
    "valueRange(query, 'between', low, high)",
    "valueRange(query, 'between', undefined, high)",
  ),
  'pages by cursor': inFile(
    'client/read/request/cursor.ts',
    "bytes.toString('utf8', HEAD_BYTES)",
    "bytes.toString('utf8', HEAD_BYTES + 1)",
  ),
  counts: inFile(
    'client/read/lists/count-search.ts',
    'sumOf(counts.map(({ count }) => count))',
    '1 + sumOf(counts.map(({ count }) => count))',
  ),
  totals: inFile(
    'client/read/nodes/total.ts',
    'directionOf(edge, id, options.direction)',
    "(directionOf(edge, id, options.direction) === 'inbound' ? 'outgoing' : 'inbound')",
  ),
  shards: inFile(
    'client/read/lists/count-search.ts',
    'counts.reduce((sum, count) => sum + count, 0)',
    'counts.reduce((sum, count) => sum + count, 1)',
  ),
  'page of three steps': inFile(
    'client/read/page.ts',
    'readNodesOfRows(context, rows, plan, options, own)',
    'readNodesOfRows(context, rows.slice(1), plan, options, own)',
  ),
  'page with levels': inFile(
    'client/read/levels/level-walk.ts',
    'stepsFrom(neighbor.id, level.with)',
    'stepsFrom(neighbor.id, level.with).slice(0, 0)',
  ),
  filter: inFile('client/read/request/where.ts', 'filter.length === 0 ? undefined : filter', 'undefined'),
  watch: inFile('client/feed/list-steps.ts', "steps.push({ type: 'enter', item, at })", 'steps.length'),
  'explain of a query': inFile('trust/explain/query.ts', 'last.calls += calls', 'last.calls += 0'),
  cost: inFile('packages/cost/writes.ts', 'node.hasView && showsChange ? 1 : 0', 'node.hasView && showsChange ? 2 : 0'),
  'rights of the stack': inFile(
    'deployment/stack/rights/table-rights.ts',
    "'BatchGetItem DescribeTable GetItem PutItem Query UpdateItem PartiQLInsert PartiQLUpdate'",
    "'BatchGetItem DescribeTable GetItem PutItem UpdateItem PartiQLInsert PartiQLUpdate'",
  ),
  studio: inFile('packages/studio/api/nodes.ts', 'base?.attributes ?? null', 'null'),
  status: inFile(
    'trust/explain/status.ts',
    'countQuarantine(graph, store, stats, quarantineRcu)',
    'Promise.resolve({ counts: {} as Record<string, number>, isWhole: true })',
  ),
};

/** More bugs of code that no protocol's rule speaks of, each with the column that finds it. */
export const MORE_BUGS: readonly { name: string; column: string; bug: ColumnBug }[] = [
  {
    name: 'a part is shown without its node',
    column: 'delete',
    bug: inFile(
      'client/read/nodes/parts.ts',
      'sources.length === 0 || attributes === undefined',
      'sources.length === 0',
    ),
  },
  {
    name: 'a part that the session has written is shown as it is projected',
    column: 'own write in a session',
    bug: inFile(
      'client/read/nodes/parts.ts',
      'writes.find(({ source, target }) => source === id && target === part.name)',
      '[].find(() => false) as { item?: Item } | undefined',
    ),
  },
  {
    name: 'an entry does not say in which partition the refused item is',
    column: 'refusal and redrive',
    bug: inFile(
      'core/plan/quarantine-entry.ts',
      'base.source !== source && { [QUARANTINE_FIELDS.in]: { S: source } }',
      '{}',
    ),
  },
  {
    name: 'a watched list lacks its last row',
    column: 'watch',
    bug: inFile('client/feed/watch.ts', 'items.length < limit', 'items.pop() === undefined'),
  },
  {
    name: 'a node that is watched stays as it was',
    column: 'watch',
    bug: inFile('client/feed/watch.ts', 'ids.filter((id) => changed.has(id))', '[]'),
  },
  {
    name: 'the feed tells nothing of the edges of a type that comes back into a view',
    column: 'feed',
    bug: inFile(
      'client/feed/changes-of.ts',
      '!isOutgrown.has(type)',
      '!isOutgrown.has(type) && !wasOutgrown.has(type)',
    ),
  },
  {
    name: 'the feed tells of a move of the revision alone',
    column: 'feed',
    bug: inFile('client/feed/changes-of.ts', 'before !== undefined && sameAmounts(before, after)', 'false'),
  },
  {
    name: 'an event has another id when it comes again',
    column: 'feed',
    bug: inFile('client/feed/changes-of.ts', 'record.dynamodb?.SequenceNumber', 'String(Math.random())'),
  },
  ...(
    [
      [
        'a reader shows what is over',
        'ranges',
        'client/read/request/living-store.ts',
        'isOver(end) ? undefined : item',
        'item',
      ],
      [
        'an edge set has elements that are over',
        'first write',
        'client/read/request/living-store.ts',
        '!isOver(lastLabel(element, ENDS))',
        'true',
      ],
      ['a copy outlives its node', 'first write', 'client/read/request/living-store.ts', '!isOver(copy[ENDS])', 'true'],
      [
        'an element does not hold its end',
        'first write',
        'core/kinds/element.ts',
        'end === undefined',
        'end === undefined || !Number.isNaN(0)',
      ],
      [
        'derived items do not hold their end',
        'first write',
        'core/kinds/parts/subject.ts',
        'end !== undefined',
        'end !== undefined && Number.isNaN(0)',
      ],
      [
        'a copy does not hold the end of its node',
        'first write',
        'core/kinds/copy.ts',
        'end !== undefined',
        'end !== undefined && Number.isNaN(0)',
      ],
      ['a count has what is over', 'counts', 'client/read/request/living-store.ts', 'items.length', 'page.count'],
    ] as const
  ).map(([name, column, file, expression, code]) => ({ name, column, bug: inFile(file, expression, code) })),
  {
    name: 'the observer repairs nothing',
    column: 'observe',
    bug: inFile('trust/observe/observe.ts', 'drift.length === 0', 'true'),
  },
];

/** The bugs that the matrix plants by changes of its own. */
export const MATRIX_MUTANTS: readonly Mutant[] = [
  ...Object.entries(COLUMN_BUGS).map(([column, bug]) => ({ name: `of ${column}`, column, bug })),
  ...MORE_BUGS,
]
  // Those of the simulators are in their lists.
  .filter(({ bug }) => !('named' in bug && bugNamed(ALL, bug.named)))
  .map(({ name, column, bug }) => ({ ...mutantOf(column, bug), name }));
