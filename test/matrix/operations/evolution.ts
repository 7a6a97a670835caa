import type { MigrateAction } from '../../../src/admin.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/index.ts';
import { LEASE_MS } from '../../../src/registry/reader-lease.ts';
import { throughCalls } from '../../support/calls.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import type { Feature } from '../features.ts';
import { compiled, type ModelInput } from '../model.ts';
import type { AnyPage } from '../questions.ts';
import { type Operation, type Outcome, RAN } from './operation.ts';

/** Operations that change the model of a table. */

/** Brings a model to the table; `between` runs before each change of the registry, each page of a walk, and in each pause. */
async function migrateInSteps(bench: Bench, model: CompiledModel, between: () => Promise<void>): Promise<void> {
  const { rig } = bench;
  let isBetween = false;
  const interrupt = async (): Promise<void> => {
    if (isBetween) return;
    isBetween = true;
    await between();
    isBetween = false;
  };
  const store = throughCalls(rig.store, async (method, [first = ''], run) => {
    const isOfRegistry = !/^get|^query/.test(method) && JSON.stringify(first).includes('~edgeloom');
    if (method === 'scan' || isOfRegistry) await interrupt();
    return await run();
  });
  const wait = async (milliseconds: number): Promise<void> => {
    await interrupt();
    await rig.wait(milliseconds);
  };
  const { done, next } = await bench.migrate(model, { store, wait, segments: 1 });
  holds(done, `the migration leaves ${next}`);
}

/** Brings a model to the table while producers write; both models' readers are right all the time, or say that it is not ready. */
async function migrateBesideWrites(bench: Bench, before: ModelInput, after: ModelInput): Promise<void> {
  await bench.begin(before);
  const model = compiled(after);
  const reader = bench.reader(model);
  const mayRefuse = ['projection-not-ready'];
  let step = 0;
  await migrateInSteps(bench, model, async () => {
    step += 1;
    const id = bench.sources[step % bench.sources.length]!;
    const [source, target] = bench.pairs[step % bench.pairs.length]!;
    await bench.putNode(id, bench.attributesOf(id, step));
    await bench.putEdge(source, target, bench.attributesOfEdge(source, target, step));
    const whole = bench.wholes[step % bench.wholes.length];
    if (whole !== undefined) await bench.putPart(whole, bench.attributesOfPart(whole, step));
    await bench.consume({ model });
    await bench.expectAnswers({ input: after, reader, mayRefuse });
  });
  await bench.putAll(1);
  await bench.consume({ model });
  await bench.expectAnswers({ input: after });
}

/** Why a feature's value does not change by a migration. */
function withoutChange({ change }: Feature): string | undefined {
  return change === undefined ? 'It is there or not: it has no other value.' : undefined;
}

/** Why a feature has no generation that an action could name. */
function withoutGeneration({ projections = [] }: Feature): string | undefined {
  return projections.length === 0 ? 'No projection is made by it: the registry has nothing of its name.' : undefined;
}

/** How often the drops that something was in the way of are made once more. */
const MOST_ROUNDS = 3;
/** What is in the way of a model until something is dropped: views of a type that is gone, or functions that it does not have. */
const IN_THE_WAY = ['registry-conflict', 'projection-code-missing'];

/** Carries out an action for each projection of the features; it is refused where it is refused for all of them. */
async function act(
  bench: Bench,
  input: ModelInput,
  kind: MigrateAction['kind'],
  names: readonly string[] = bench.projections,
): Promise<Outcome> {
  let outcome: Outcome = { state: 'refused', code: 'last-generation' };
  let open = names;
  for (let round = 0; open.length > 0; round++) {
    const later: string[] = [];
    for (const name of open) {
      try {
        const { done, next } = await bench.migrate(compiled(input), { action: { kind, name } });
        // Without its code of the present model there is something left to do.
        holds(done || kind === 'withdraw', `after ${kind} of ${name} there is left: ${next}`);
        outcome = RAN;
      } catch (error) {
        if (!(error instanceof EdgeloomError)) throw error;
        if (kind === 'drop' && IN_THE_WAY.includes(error.code)) later.push(name);
        // Another search of the same item may have taken it along.
        else if (error.code !== 'last-generation' && !isGone(name, error)) throw error;
      }
    }
    // A run may do its part and stop at what another one has to take away.
    holds(round < MOST_ROUNDS, `nothing of ${later.join(' ')} can be dropped`);
    open = later;
  }
  return outcome;
}

function isGone(name: string, { code }: EdgeloomError): boolean {
  return name.startsWith('search:') && code === 'unknown-name';
}

/** Brings a model to the table; whether something is in its way. */
async function isRefused(bench: Bench, model: CompiledModel): Promise<boolean> {
  try {
    await bench.migrate(model);
    return false;
  } catch (error) {
    if (error instanceof EdgeloomError && IN_THE_WAY.includes(error.code)) return true;
    throw error;
  }
}

/** The projections whose questions a reader of a model refuses; everything else it answers right. */
async function refusedBy(bench: Bench, input: ModelInput): Promise<string[]> {
  const { refused } = await bench.expectAnswers({ input, mayRefuse: ['projection-not-ready'] });
  return [...new Set(refused.map(({ projection }) => projection))].sort();
}

/**
 * Whether readers do without a projection: the attributes of a part come from its item where no view of it may be used, and nobody reads
 * the list of edges that end.
 */
function isReadBeside(name: string): boolean {
  return name.startsWith('part:') || name.endsWith('.expires');
}

/** Whether features share the model: what one of them changes may be a projection of another. */
function isPair({ features }: Bench): boolean {
  return features.length > 1;
}

/** What is in the place of a model where two of its values differ in more than spreading. */
function changesMeaning({ features }: Bench): boolean {
  return features.some(({ change, keepsMeaning }) => change !== undefined && keepsMeaning !== true);
}

/** The columns of model changes. */
export const EVOLUTION_OPERATIONS: readonly Operation[] = [
  {
    name: 'migrate: add',
    covers: ['command:migrate', 'library:migrate'],
    run: async (bench) => {
      await migrateBesideWrites(bench, bench.without, bench.input);
      await bench.expectClean();
      return RAN;
    },
  },
  {
    name: 'migrate: change',
    except: withoutChange,
    run: async (bench) => {
      await migrateBesideWrites(bench, bench.input, bench.changed);
      return RAN;
    },
  },
  {
    name: 'migrate: withdraw',
    except: (feature) => withoutGeneration(feature) ?? withoutChange(feature),
    run: async (bench) => {
      await bench.begin();
      await bench.migrate(compiled(bench.changed));
      const outcome = await act(bench, bench.changed, 'withdraw');
      if (outcome.state === 'refused') {
        const hasOne = bench.projections.every((name) => name.startsWith('view:')) || !changesMeaning(bench);
        holds(hasOne || isPair(bench), 'a withdrawal is refused although the old generation is there');
        await bench.expectAnswers({ input: bench.changed });
        return outcome;
      }
      await bench.putAll(1);
      await bench.consume();
      await bench.expectAnswers();
      return RAN;
    },
  },
  {
    name: 'migrate: retire',
    except: (feature) => withoutGeneration(feature) ?? withoutChange(feature),
    run: async (bench) => {
      await bench.begin();
      const { changed } = bench;
      await bench.migrate(compiled(changed));
      const outcome = await act(bench, changed, 'retire');
      await bench.putAll(1);
      await bench.consume({ model: compiled(changed) });
      await bench.expectAnswers({ input: changed });
      if (changesMeaning(bench) && !isPair(bench) && outcome.state === 'ran') {
        const refused = await refusedBy(bench, bench.input);
        const expected = bench.projections.filter((name) => !isReadBeside(name)).sort();
        expectSame(refused, expected, 'the list of what the old reader refuses');
      }
      const changesParts = bench.features.some(({ options }) => options.includes('part.view'));
      const keyed = changesParts ? /^~(ix|view|degree|in|total)\/(?!@)/ : /^~(ix|degree|in|total)\/(?!@)/;
      // An order that no feature changes keeps its first generation, and with it the item that the edge's first orders share.
      const kept = bench.addedProjections.length > 0 ? /^~ix\/(MEMBER-|#includeTarget\/MEMBER$)/ : /^$/;
      const first = (await bench.derived()).filter(({ key: { target } }) => keyed.test(target) && !kept.test(target));
      // A list that the model does not have any more goes when it is dropped.
      const isDropped = compiled(changed).edges.get('MEMBER')?.due === undefined;
      // In a model of several features those that have no other value keep theirs.
      const left = isPair(bench) ? [] : first.filter(({ key }) => !(isDropped && /^~ix\/#expires\//.test(key.target)));
      expectSame(
        left.map(({ key }) => key),
        [],
        'the list of items of first generations that are left',
      );
      return outcome;
    },
  },
  {
    name: 'migrate: drop',
    except: withoutGeneration,
    run: async (bench) => {
      await bench.begin();
      const { without } = bench;
      const model = compiled(without);
      const isConflict = await isRefused(bench, model);
      // It is maintained until someone drops it.
      await bench.putAll(1);
      await bench.consume();
      if (!isConflict) await bench.expectAnswers({ mayRefuse: [] });
      await act(bench, without, 'drop', [...bench.projections, ...bench.addedProjections]);
      await bench.putAll(2);
      await bench.consume({ model });
      await bench.expectAnswers({ input: without });
      const refused = await refusedBy(bench, bench.input);
      // Without its count a degree is counted in the base edges.
      const isCounted = bench.features.some(({ options }) => options.includes('edge.degree'));
      for (const name of bench.projections)
        holds(
          refused.includes(name) || isPair(bench) || isCounted || name.startsWith('view:') || isReadBeside(name),
          `a reader goes on with ${name}, which was dropped`,
        );
      const left = (await bench.derived()).filter(({ key }) => /^~(ix|view|degree|in|total)\//.test(key.target));
      expectSame(
        left.map(({ key }) => key),
        [],
        'the list of derived items that are left',
      );
      return RAN;
    },
  },
  {
    name: 'old reader next to a new one',
    except: withoutChange,
    run: async (bench) => {
      await bench.begin();
      const { changed } = bench;
      const reader = bench.reader();
      const mayRefuse = bench.features.every(({ keepsMeaning }) => keepsMeaning === true)
        ? []
        : ['projection-not-ready'];
      await migrateInSteps(bench, compiled(changed), async () => {
        await bench.expectAnswers({ reader, mayRefuse });
      });
      // Its lease of the time before the last step ends.
      await bench.rig.wait(2 * LEASE_MS);
      await bench.expectAnswers({ reader, mayRefuse });
      return RAN;
    },
  },
  {
    name: 'old consumer next to a new one',
    except: withoutChange,
    run: async (bench) => {
      await bench.begin();
      const { changed } = bench;
      await bench.migrate(compiled(changed));
      await bench.putAll(1);
      await bench.consume();
      await bench.expectAnswers({ input: changed });
      return RAN;
    },
  },
  {
    name: 'new consumer before the migration',
    except: withoutChange,
    run: async (bench) => {
      await bench.begin();
      await bench.putAll(1);
      await bench.consume({ model: compiled(bench.changed) });
      await bench.expectAnswers();
      return RAN;
    },
  },
  {
    name: 'cursor across a migration',
    except: withoutChange,
    run: async (bench) => {
      await bench.begin();
      const { changed } = bench;
      const old = bench.reader();
      const questions = (await bench.questions(['pages', 'nodes'])).filter(({ page }) => page !== undefined);
      const firsts: AnyPage[] = [];
      for (const { page } of questions) firsts.push(await page!(old, { limit: 1 }));
      await bench.migrate(compiled(changed));
      const reader = bench.reader(compiled(changed));
      for (const [i, { page, expected, text, settled = (list: readonly unknown[]) => list }] of questions.entries()) {
        let { cursor } = firsts[i]!;
        const items = [...firsts[i]!.items];
        try {
          while (cursor !== undefined) {
            const next = await page!(reader, { limit: 1, cursor });
            items.push(...next.items);
            cursor = next.cursor;
          }
        } catch (error) {
          const code = error instanceof EdgeloomError ? error.code : String(error);
          holds(changesMeaning(bench) && code === 'cursor-outdated', `${text}: ${code}`);
          continue;
        }
        // A new model may show other attributes from the second page on.
        const keysOf = (all: unknown): unknown =>
          (all as { id?: string; source?: string; target?: string }[]).map(({ id, source, target }) => [
            id,
            source,
            target,
          ]);
        expectSame(keysOf(settled(items)), keysOf(expected), text);
      }
      return RAN;
    },
  },
];
