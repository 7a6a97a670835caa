import type { CompiledModel } from '../../core/model/compiled.ts';
import { type NativeGap, NativeGaps } from '../../core/model/native-misfits.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import type { Data } from '../../registry/data.ts';
import { definitionsOf } from '../../registry/definition.ts';
import { readDefinitions, readHead } from '../../registry/head.ts';
import { identityAtHome, type TableRegions } from '../../registry/identity.ts';
import { changeText, plannedChanges } from '../../registry/planned-changes.ts';
import type { TableIdentity } from '../../registry/registry.ts';
import type { RateOptions } from '../../store/metered.ts';
import { TableIndexes } from '../../store/table-indexes.ts';
import { type UnplacedCount, UnplacedItems } from '../../trust/check/unplaced-items.ts';
import { leftovers, type MigrateAction, ownDrop } from '../action.ts';
import { checkAddable } from '../step-work.ts';
import { type LeftOut, LeftOutItems } from '../walks/left-out-items.ts';
import { emptyProjectionWarnings } from './empty-projections.ts';
import { forecast, type StepForecast } from './forecast.ts';
import { plannedSteps } from './planned-steps.ts';
import { sampleTable } from './sample.ts';

export interface PlanOptions extends RateOptions {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'getMany' | 'query' | 'describe'> & ScanSource;
  itemCount: number;
  sizeBytes?: number | undefined;
  table?: TableIdentity | undefined;
  regions?: TableRegions | undefined;
  action?: MigrateAction | undefined;
  lateWritesMs?: number | undefined;
}

export interface MigrationPlan {
  changes: string[];
  leftovers: MigrateAction[];
  warnings: string[];
  comesBack?: string | undefined;
  steps: StepForecast[];
  cost: { rcu: number; wcu: number; seconds: number };
  estimate: { items: number; sampled: number; isExact: boolean };
  unplaced: UnplacedCount;
  /** Native lists that lack sampled base items, because these have no valid key for the index. */
  gaps: NativeGap[];
  leftOut: LeftOut | undefined;
}

export async function planMigration(options: PlanOptions): Promise<MigrationPlan> {
  const { graph, store, itemCount, sizeBytes, action, maxRcu, maxWcu, lateWritesMs } = options;
  const expected = definitionsOf(graph);
  const head = await readHead({ store, stats: { rcu: 0 } });
  const table = identityAtHome(head?.registry.table, options.table, options.regions);
  const stored =
    head === undefined
      ? new Map<string, Data>()
      : await readDefinitions({ store, stats: { rcu: 0 } }, head.registry, new Map());
  const own = [...expected.values()];
  const data = new Map([...stored, ...own.map((one) => [one.fingerprint, one.data] as const)]);
  const changes = plannedChanges(head?.registry, stored, expected);
  const sample = await sampleTable({ graph, store, itemCount, sizeBytes });
  const missing = await new TableIndexes(store).missing(graph);
  if (action === undefined) checkAddable(missing);
  const planned = plannedSteps(
    {
      registry: head?.registry,
      data,
      expected,
      isEmpty: sample.isWhole && sample.items.length === 0,
      table,
      missingIndexes: missing.map(({ name }) => name),
      lateWritesMs,
    },
    action === undefined ? [] : [action],
  );
  const unplaced = new UnplacedItems(graph);
  const native = new NativeGaps(graph);
  for (const { source, target, item } of sample.items) {
    unplaced.addItem({ source, target }, item);
    native.addItem({ source, target }, item);
  }
  const leftOut = new LeftOutItems();
  const steps = forecast(planned, { graph, data, sample, maxRcu, maxWcu, leftOut });
  const sum = (field: 'rcu' | 'wcu' | 'seconds'): number => steps.reduce((total, step) => total + step[field], 0);
  return {
    changes: changes.map(changeText),
    leftovers: head === undefined ? [] : leftovers(head.registry, expected),
    warnings: emptyProjectionWarnings(graph, changes, sample),
    comesBack: head && action && ownDrop(head.registry, data, expected, action),
    steps,
    cost: { rcu: sum('rcu'), wcu: sum('wcu'), seconds: sum('seconds') },
    estimate: { items: sample.itemCount, sampled: sample.items.length, isExact: sample.isWhole },
    unplaced: unplaced.count,
    gaps: native.gaps,
    leftOut: leftOut.found,
  };
}
