import { describe, expect, it } from 'vitest';
import { explain } from '../../src/admin.ts';
import { type CompiledModel, createSession, hashedEdgeKey } from '../../src/index.ts';
import {
  drawSpec,
  graphOf,
  type KeyedSpec,
  projectionsOf,
  putItems,
  spreadAnew,
  without,
} from '../simulator/faults/keyed-models.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * Every derived item belongs to the projection that made it, whatever its key looks like. Which one that is, is told here by the
 * projector alone: an item that is not there where the model lacks a projection is an item of that projection.
 */

const SEEDS = runs({ part: 5, whole: 40 });

/** The live derived items of a table, whichever generation they are of. */
function keysOf(stage: Stage): string[] {
  return stage
    .derived()
    .map(({ source, target }) => `${source} ${target.replace(/^(~[a-z]+\/)@\d+\//s, '$1')}`)
    .sort();
}

/** What a table holds that has had only these models, one after the other, and the base items of another. */
async function madeBy(base: Stage, ...specs: KeyedSpec[]): Promise<string[]> {
  const stage = new Stage();
  return await stage.run(async () => {
    for (const [i, spec] of specs.entries()) {
      const graph = graphOf(spec);
      await stage.migrate(graph);
      if (i === 0) copyBaseItems(base, stage);
      await stage.consume(graph);
      await stage.sleep(SHOWN_MS);
    }
    return keysOf(stage);
  });
}

function copyBaseItems(from: Stage, to: Stage): void {
  for (const { key, item } of from.table.items())
    if (!key.target.startsWith('~') && key.source !== '~edgeloom') to.table.write(key, item);
}

/** What is found of a drawn model, and what to compare the table with: what these models make of its base items. */
interface Found {
  failure?: string | undefined;
  models?: KeyedSpec[];
  /** The sort key of items that these models make and the table has no longer. */
  gone?: string;
}

/** Runs a property for drawn models; gives what failed. */
async function failuresOf(property: (stage: Stage, spec: KeyedSpec) => Promise<Found>): Promise<string[]> {
  const failures: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const stage = new Stage(seed);
    const spec = drawSpec(stage.random);
    const { failure, models, gone } = await stage.run(() => property(stage, spec));
    const made = models && (await madeBy(stage, ...models));
    const differing =
      made &&
      difference(
        keysOf(stage),
        made.filter((key) => !key.endsWith(` ${gone}`)),
      );
    for (const text of [failure, differing]) if (text !== undefined) failures.push(`seed ${seed}: ${text}`);
  }
  return failures;
}

/** A registered table with items, all of it projected; of a later generation where `isSpread`. */
async function fill(stage: Stage, spec: KeyedSpec, isSpread: boolean): Promise<KeyedSpec> {
  await stage.migrate(graphOf(spec));
  putItems(stage, spec, hashedEdgeKey);
  await stage.consume(graphOf(spec));
  await stage.sleep(SHOWN_MS);
  if (!isSpread) return spec;
  const next = spreadAnew(spec);
  await stage.migrate(graphOf(next));
  await stage.sleep(SHOWN_MS);
  return next;
}

function difference(found: readonly string[], expected: readonly string[]): string | undefined {
  const extra = found.filter((key) => !expected.includes(key));
  const lacks = expected.filter((key) => !found.includes(key));
  if (extra.length + lacks.length === 0) return undefined;
  return brief({ extra: extra.slice(0, 2), lacks: lacks.slice(0, 2), of: expected.length });
}

/** A text of something that may hold very long keys. */
function brief(found: unknown): string {
  return JSON.stringify(found)
    .replaceAll(/(x{4}|y{4})[xy]+/g, '$1…')
    .slice(0, 300);
}

function baseKeysOf({ table }: Stage): { source: string; target: string }[] {
  const keys = [...table.items()].map(({ key }) => key);
  return keys.filter(({ source, target }) => !target.startsWith('~') && source !== '~edgeloom');
}

/** Keys that sessions which look at what is there do not let go of, though all of it is projected. */
async function keptKeys(
  stage: Stage,
  graph: CompiledModel,
  bases: readonly { source: string; target: string }[],
): Promise<string[]> {
  const reader = stage.reader(graph);
  const sessions = bases.map((key) => {
    const session = createSession();
    session.note([key])();
    return session;
  });
  for (let round = 0; round < 5; round++) {
    await stage.sleep(30_000);
    for (const session of sessions) await reader.with(session).getViews([bases[0]!.source]);
  }
  return sessions.flatMap((session) => session.keys().map(({ source, target }) => `${source} ${target} is not let go`));
}

/** Deletes some base items whose records nobody ever sees. */
function loseSome(stage: Stage): void {
  for (const { source, target } of baseKeysOf(stage))
    if (stage.random.chance(0.4)) stage.put(source, target, undefined);
  stage.loseRecords();
}

describe('every key that the planner can make', () => {
  it.each([
    { generation: 'the first generation', isSpread: false },
    { generation: 'a later generation', isSpread: true },
  ])('is nothing that a check of a healthy table speaks of, in $generation', async ({ isSpread }) => {
    const failures = await failuresOf(async (stage, spec) => {
      const { findings, unregistered, drift } = await stage.check(graphOf(await fill(stage, spec, isSpread)));
      const [first] = findings;
      return { failure: first && brief({ findings: findings.length, unregistered, drift, first }) };
    });
    expect(failures).toEqual([]);
  });

  it.each([
    { generation: 'the first generation', isSpread: false },
    { generation: 'a later generation', isSpread: true },
  ])('goes with its projection when that is dropped, and no other goes, in $generation', async ({ isSpread }) => {
    const failures = await failuresOf(async (stage, first) => {
      const spec = await fill(stage, first, isSpread);
      // A name that ends like the number of a generation stands for that generation.
      const all = projectionsOf(spec).filter((name) => !/@\d+$/.test(name));
      // Orders that were left without those of the shared item would share it: a model cannot say what is left.
      const names = all.filter((name) => !all.some((one) => one.startsWith(`${name.replace('inbound:', 'order:')}.`)));
      const name = stage.random.oneOf(names as [string]);
      const { done } = await stage.migrate(graphOf(spec), { action: { kind: 'drop', name } });
      const left = [...(isSpread ? [without(first, name)] : []), without(spec, name)];
      // The target goes with the item that orders share, which no model lacks whose other orders have items of their own.
      const gone = `~ix/#includeTarget/${name.replace(/^inbound:/, '')}`;
      return { models: left, gone, ...(!done && { failure: `${name} is not done` }) };
    });
    expect(failures).toEqual([]);
  });

  it.each([
    { generation: 'the first generation', isSpread: false },
    { generation: 'a later generation', isSpread: true },
  ])('is explained by its base item, and lets a session go, in $generation', async ({ isSpread }) => {
    const failures = await failuresOf(async (stage, first) => {
      const graph = graphOf(await fill(stage, first, isSpread));
      const store = stage.store();
      const places = new Set<string>();
      const wrong: string[] = [];
      const bases = baseKeysOf(stage);
      for (const key of bases) {
        for (const { source, target, state } of (await explain(graph, { key, store })).parts) {
          places.add(`${source} ${target}`);
          if (state !== 'right') wrong.push(`${source} ${target} is ${state}`);
        }
      }
      const unexplained = stage
        .derived()
        // One that is in no order is there for the count alone.
        .filter(({ item }) => item['gsi0pk'] !== undefined || item['gsi1pk'] !== undefined)
        .filter(({ source, target }) => !places.has(`${source} ${target}`));
      wrong.push(...unexplained.map(({ source, target }) => `${source} ${target} is explained by nothing`));
      wrong.push(...(await keptKeys(stage, graph, bases)));
      return { failure: wrong.length > 0 ? brief(wrong) : undefined };
    });
    expect(failures).toEqual([]);
  });

  it('is mended by a repair where its base item has gone unseen', async () => {
    const failures = await failuresOf(async (stage, spec) => {
      const graph = graphOf(spec);
      await fill(stage, spec, false);
      loseSome(stage);
      await stage.sleep(SHOWN_MS);
      await stage.check(graph, 'repair');
      await stage.sleep(SHOWN_MS);
      const [first] = (await stage.check(graph)).findings;
      return { models: [spec], failure: first && brief(first) };
    });
    expect(failures).toEqual([]);
  });

  it('is no stray after the first migration of a table whose base items had gone unseen', async () => {
    const failures = await failuresOf(async (stage, spec) => {
      const graph = graphOf(spec);
      putItems(stage, spec, hashedEdgeKey);
      await stage.consume(graph);
      await stage.sleep(SHOWN_MS);
      loseSome(stage);
      await stage.sleep(SHOWN_MS);
      await stage.migrate(graph);
      await stage.sleep(SHOWN_MS);
      return { models: [spec] };
    });
    expect(failures).toEqual([]);
  });
});
