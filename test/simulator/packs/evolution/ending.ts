import { nativeIndexes } from '../../../../src/core/model/native-indexes.ts';
import type { Registry } from '../../../../src/registry/registry.ts';
import { sharedOrders } from '../../../support/inbound-option.ts';
import { LATEST_LANDING_MS } from '../../kernel/process.ts';
import { fromItem, mapOf, stableText, textOf } from '../../kernel/values.ts';
import { checkByProduct } from './checks.ts';
import { redriveGivenUp } from './consumers.ts';
import { hitsOf, inboundRowsOf, isNodeOf, isState, picked, STATE, withState } from './oracle.ts';
import { nameOfItem } from './owners.ts';
import { ReadingProcess } from './readers.ts';
import {
  derivedPart,
  graphOf,
  indexesOf,
  type ModelSpec,
  packedSearches,
  type SearchSpec,
  type TotalSpec,
} from './specs.ts';
import { registryOf, runMigrate, runRedrive } from './tools.ts';
import { addedUp, type Numbers, numbersOf, storedNumbers, textOfNumbers } from './totals.ts';
import type { World } from './world.ts';

/** Until all that was written shows everywhere. */
const SHOWN_MS = 10_000;

/** The end: one model is brought to the table whole; then all that is derived has to be what the oracle says. */
export async function checkEnd(world: World): Promise<void> {
  const random = world.plan.draws('end');
  const { timeline } = world;
  const version = random.below(world.specs.length);
  // From here on all consumers have all functions.
  world.graphs = world.specs.map((spec, i) => (spec.code.length > 0 ? world.graphs[i]! : graphOf(spec, [1, 2])));
  world.deployed = [0, 1, 2];
  // What runs that have ended had under way has landed by then: it may take something from readers.
  if (world.mayLandLate) await timeline.sleep(LATEST_LANDING_MS);
  // Another model's function that this one does not have keeps it from adding anything: that goes first.
  if (!(await finish(world, version))) return;
  const taken = await takeAwayOthers(world, version, random.chance(0.5));
  await drainWhole(world, version);
  if (world.failures.length > 0) return;
  await timeline.sleep(SHOWN_MS);
  world.markNow();
  await timeline.sleep(SHOWN_MS);
  const reader = new ReadingProcess(world, version, true);
  const refused = await reader.askAll();
  if (refused.length > 0) world.fail('wrong', `at the end the reader of model ${version} hears ${refused.join()}`);
  if (reader.calls.query > 0) await checkViews(world, version);
  // A reader of another model is told what is right, or that it is not ready.
  const other = new ReadingProcess(world, (version + 1) % world.specs.length, true);
  await Promise.all(Array.from({ length: 8 }, () => other.ask()));
  const registry = await registryOf(world);
  if (registry === undefined) return world.fail('unfinished', 'at the end there is no registry');
  checkItems(world, registry, taken);
  checkIndexes(world, registry);
  checkTotals(world, registry);
  checkPartViews(world, registry);
  if (world.failures.length === 0) await checkByProduct(world, registry);
}

/** Migrates until it is done, however often something came in between. */
async function finish(world: World, version: number): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    const result = await runMigrate(world, version, { isCalm: true });
    if (typeof result === 'object' && 'ended' in result && result.ended.done) return true;
    if (typeof result === 'object' && 'refused' in result && result.refused === 'projection-code-missing') {
      if (tries > 3) await dropDerived(world, version);
      if (tries > 6) break;
    }
    await world.timeline.sleep(10_000);
    if (world.failures.length > 0) return false;
  }
  world.fail('unfinished', `at the end the migration to model ${version} is never done`);
  return false;
}

/** Drops what only a function gives that the model does not have. */
async function dropDerived(world: World, version: number): Promise<void> {
  if (world.specs[version]!.searches['initial'] !== undefined) return;
  world.tookAway = true;
  await runMigrate(world, version, { isCalm: true, action: { kind: 'drop', name: 'search:A.initial' } });
}

/** The names of a model's projections, as people write them. */
function namesOf(whole: ModelSpec): string[] {
  const spec = derivedPart(whole);
  const packs = (searches: ModelSpec['searches']) => [...packedSearches(searches, indexesOf(spec)).keys()];
  const names = packs(spec.searches).map((name) => `search:A.${name}`);
  if (spec.state) names.push('part:A.STATE', ...packs(spec.state.searches).map((name) => `search:A.STATE.${name}`));
  if (spec.groupSearch) names.push('search:B.title');
  if (spec.extra) names.push('search:C.label', 'inbound:AC', 'view:C');
  const orders = Object.keys(spec.edge.orders);
  const { degree, incoming, outgoing } = spec.edge;
  const isCounted = degree || incoming !== undefined || outgoing !== undefined;
  const shared = sharedOrders(orders, indexesOf(spec));
  if (isCounted || shared.some((name) => name !== undefined)) names.push('inbound:AB');
  for (const name of orders) if (!shared.includes(name)) names.push(`order:AB.${name}`);
  return [...names, ...nativeIndexes(graphOf(whole)).map((index) => `index:${index.name}`)];
}

/** What the model does not have goes for good, and old meanings too: now and then, and where code for it is missing. */
async function takeAwayOthers(world: World, version: number, isWanted: boolean): Promise<Set<string>> {
  const isBlocked = !(await isDrainedWithin(world, version, 120_000));
  const taken = new Set<string>();
  if (!isBlocked && !isWanted) return taken;
  world.tookAway = true;
  const registry = await registryOf(world);
  const names = namesOf(world.specs[version]!);
  for (const [name, { generations }] of registry?.projections ?? []) {
    if (generations.length === 0) continue;
    const isOwn = names.includes(name) || (name === 'list:A' && world.specs[version]!.list);
    if (isOwn && generations.length === 1) continue;
    const kind = isOwn ? 'retire' : 'drop';
    for (const { id } of isOwn ? [] : generations) taken.add(`${name}@${id}`);
    await runMigrate(world, version, { isCalm: true, action: { kind, name } });
  }
  await finish(world, version);
  return taken;
}

async function isDrainedWithin(world: World, version: number, milliseconds: number): Promise<boolean> {
  const untilMs = world.timeline.nowMs + milliseconds;
  while (!world.checkDrained()) {
    if (world.givenUp.length > 0) await redriveGivenUp(world, version);
    await world.timeline.sleep(world.givenUp.length > 0 ? 5_000 : 500);
    if (world.timeline.nowMs > untilMs) return false;
  }
  return true;
}

async function drainWhole(world: World, version: number): Promise<void> {
  if (!(await isDrainedWithin(world, version, 1_200_000))) world.fail('unfinished', 'at the end the stream is blocked');
  await runRedrive(world, version);
}

/** A reader of the model that the table has reads no base items: views are ready, stamped and there. */
async function checkViews(world: World, version: number): Promise<void> {
  const spec = world.specs[version]!;
  // A writer that stood still may have written an old shape last: that shows, and costs the base items.
  if (world.mayEvict || spec.edge.set === false || world.mayLandLate) return;
  const reader = new ReadingProcess(world, version, true);
  await reader.ask((questions) => questions.views());
  if (reader.calls.query > 0) world.fail('wrong', 'at the end a reader of the views still asks for base items');
}

/** Everything in the index partitions of each generation is what one of the models wants there. */
function checkItems(world: World, registry: Registry, taken: ReadonlySet<string>): void {
  const stored = new Map<string, string[]>();
  for (const { key, item } of world.table.items()) {
    const found = /^~ix\/(?:@(\d+)\/)?(.*)$/s.exec(key.target);
    if (found === null || item['gsi0pk'] === undefined) continue;
    const [, id = '1', rest = ''] = found;
    const name = nameOfItem(key.source, rest);
    if (name === undefined) continue;
    const texts = stored.get(`${name}@${id}`) ?? [];
    texts.push(stableText([key.source, rest, fromItem(mapOf(item['attributes'])), textOf(item['gsi0sk']).length > 0]));
    stored.set(`${name}@${id}`, texts);
  }
  const live = new Set<string>();
  const ready = new Set<string>();
  for (const [name, { generations }] of registry.projections) {
    for (const { id, state } of generations) {
      if (state !== 'retired') live.add(`${name}@${id}`);
      if (state === 'ready') ready.add(`${name}@${id}`);
    }
  }
  for (const [name, texts] of stored) {
    if (!live.has(name)) {
      if (world.hasLitter && name.endsWith('@1')) continue;
      // A writer that stood still may write under an id that is forgotten, which no query meets. Where no writer stands still, that is a fault.
      if (world.mayLandLate || !taken.has(name) || world.wasForgotten) {
        world.count('left under a forgotten id');
        continue;
      }
      world.fail('wrong', `at the end ${texts.length} items are left of ${name}, of which the registry knows nothing`);
      continue;
    }
    // What is not ready may have items of a registry that was deleted, or of records that were lost; the backfill finds them.
    if ((world.wasForgotten || world.hasLostRecords) && !ready.has(name)) continue;
    const expected = world.specs.map((spec) => expectedItems(world, spec, name.slice(0, name.indexOf('@'))));
    // What is not ready may lack items, as long as it has no wrong ones.
    const isRight = expected.some(
      (some) => texts.every((text) => some.includes(text)) && (!ready.has(name) || texts.length === some.length),
    );
    if (!isRight)
      world.fail(
        'wrong',
        `at the end ${name} holds ${stableText(texts)} instead of ${[...new Set(expected.map(stableText))].join(' or ')}`,
      );
  }
}

/** Readers can use the index of each native list that is ready. */
function checkIndexes(world: World, { projections }: Registry): void {
  for (const [name, { generations }] of projections) {
    const [kind, index = ''] = name.split(':');
    if (
      kind === 'index' &&
      generations.some(({ state }) => state === 'ready') &&
      !world.table.nativeIndexes!.has(index)
    )
      world.fail('wrong', `at the end the table lacks the index ${index}, which is ready`);
  }
}

/** The totals of each generation that is ready are those of one of the models. */
function checkTotals(world: World, registry: Registry): void {
  const { history, timeline } = world;
  const edges = [...history.keys(({ target }) => target.startsWith('AB-'))].map((key) => ({
    ...{ source: key.source, target: key.target.slice(3) },
    state: history.statesOf(key, timeline.nowMs, timeline.nowMs)[0],
  }));
  const expectedBy = (end: 'source' | 'target', total: TotalSpec | undefined): string => {
    const byNode = new Map<string, Numbers>();
    for (const edge of total === undefined ? [] : edges)
      byNode.set(edge[end], addedUp([byNode.get(edge[end]) ?? new Map(), numbersOf(total!, edge.state)]));
    return textOfTotals(byNode);
  };
  const expected = world.specs.map(({ edge: { incoming, outgoing, degree } }) =>
    [expectedBy('target', incoming), expectedBy('source', outgoing ?? (degree ? NO_TOTALS : undefined))].join(' '),
  );
  for (const id of readyIds(registry, 'inbound:AB')) {
    const mark = id === 1 ? '' : `@${id}/`;
    const texts = ['~total/', '~degree/'].map((place) => {
      const items = [...world.table.items()].filter(({ key }) => key.target === `${place}${mark}AB`);
      return textOfTotals(new Map(items.map(({ key, item }) => [key.source, storedNumbers(item)])));
    });
    if (!expected.includes(texts.join(' ')))
      world.fail('wrong', `at the end the totals of inbound:AB@${id} are ${texts} instead of ${expected.join(' or ')}`);
  }
}

const NO_TOTALS: TotalSpec = { sums: {}, groups: [] };

function textOfTotals(byNode: ReadonlyMap<string, Numbers>): string {
  const nodes = [...byNode].filter(([, numbers]) => numbers.size > 0);
  return stableText(Object.fromEntries(nodes.map(([id, numbers]) => [id, textOfNumbers(numbers)])));
}

/** The views of the part in each generation that is ready are those of one of the models. */
function checkPartViews(world: World, registry: Registry): void {
  const { history, timeline } = world;
  const states = [...history.keys(isState)].map((key) => ({
    id: key.source,
    state: history.statesOf(key, timeline.nowMs, timeline.nowMs)[0],
  }));
  const expected = world.specs.map(({ state: of }) =>
    stableText(
      Object.fromEntries(states.map(({ id, state }) => [id, of && state ? picked(state, of.view) : undefined])),
    ),
  );
  for (const id of readyIds(registry, 'part:A.STATE')) {
    const sortKey = `~view/${id === 1 ? '' : `@${id}/`}${STATE}`;
    const items = [...world.table.items()].filter(({ key, item }) => key.target === sortKey && item['attributes']);
    const text = stableText(
      Object.fromEntries(items.map(({ key, item }) => [key.source, fromItem(mapOf(item['attributes']))])),
    );
    if (!expected.includes(text))
      world.fail('wrong', `at the end the views of part:A.STATE@${id} are ${text} instead of ${expected.join(' or ')}`);
  }
}

function readyIds({ projections }: Registry, name: string): number[] {
  const { generations = [] } = projections.get(name) ?? {};
  return generations.filter(({ state }) => state === 'ready').map(({ id }) => id);
}

/** The items of a search of the part. */
function expectedItemsOfState({ history, timeline }: World, spec: ModelSpec, name: string): string[] {
  const { state: of } = spec;
  const indexes = indexesOf(spec);
  const search = of?.searches[name];
  if (search === undefined || !packedSearches(of!.searches, indexes).has(name)) return [];
  return [...history.keys(isState)].flatMap((key) => {
    const [state] = history.statesOf(key, timeline.nowMs, timeline.nowMs);
    return hitsOf(search, key.source, state).map(({ text }) => {
      const { attributes } = JSON.parse(text) as { attributes: object };
      return stableText([key.source, `#${key.target}/${name}`, attributes, true]);
    });
  });
}

function expectedItems(world: World, whole: ModelSpec, name: string): string[] {
  const spec = derivedPart(whole);
  const { history } = world;
  const { nowMs } = world.timeline;
  const stateOf = (source: string, target: string) => history.statesOf({ source, target }, nowMs, nowMs)[0];
  const [kind, of = ''] = name.split(':');
  const texts: string[] = [];
  if (kind === 'search') {
    const [type = '', attribute = '', ofPart] = of.split('.');
    if (ofPart !== undefined) return expectedItemsOfState(world, spec, ofPart);
    const plain: SearchSpec = { order: { by: 'attribute', name: attribute }, shards: 1, project: [] };
    const searches: ModelSpec['searches'] = type === 'A' ? spec.searches : { [attribute]: plain };
    // The first of those that share an item has its name, and is in gsi0.
    const search = packedSearches(searches, indexesOf(spec)).get(attribute)?.[0];
    if (search === undefined) return [];
    for (const { source } of history.keys(isNodeOf(type))) {
      for (const row of hitsOf(search, source, stateOf(source, source))) {
        const { value, attributes } = JSON.parse(row.text) as { value: unknown; attributes: object };
        texts.push(
          stableText([source, search.multiValue === true ? `${attribute}/${value}` : attribute, attributes, true]),
        );
      }
    }
    return texts;
  }
  const [edgeType = '', order = sharedOrders(Object.keys(spec.edge.orders), indexesOf(spec))[0] ?? ''] = of.split('.');
  const by = edgeType === 'AC' ? ({ by: 'attribute', name: 'since' } as const) : spec.edge.orders[order];
  if (by === undefined) return [];
  const shown = edgeType === 'AC' ? { project: [], projectSource: [] } : spec.edge;
  for (const key of history.keys(({ source, target }) => source !== target && target.startsWith(`${edgeType}-`))) {
    const { source, target } = key;
    const node = withState(stateOf(source, source), stateOf(source, STATE));
    for (const row of inboundRowsOf(by, shown, key, stateOf(source, target), node)) {
      const { attributes } = JSON.parse(row.text) as { attributes: object };
      texts.push(stableText([source, kind === 'order' ? `#${order}/${target}` : target, attributes, true]));
    }
  }
  return texts;
}
