import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain, type Finding } from '../../../src/admin.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../src/index.ts';
import { checkExport } from '../../../src/trust/check/export/export.ts';
import { eraseSubject } from '../../../src/trust/subject/erase-subject.ts';
import { exportSubject } from '../../../src/trust/subject/export-subject.ts';
import { writeExport } from '../../support/export.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import { keyNames, storedFacts } from '../facts.ts';
import { type Operation, RAN } from './operation.ts';

/** Operations that say whether the projections are right, and make them right. */

async function begin(bench: Bench): Promise<void> {
  await bench.begin();
  await bench.deleteSome();
  await bench.consume();
}

type Derived = Awaited<ReturnType<Bench['derived']>>[number];

/** The kind of a derived item, by its key. */
function kindOf({ key: { target } }: Derived): string {
  return /^~[a-z]+/.exec(target)![0];
}

/** Damages the derived items, one kind after the other: each is found, and repaired to what the oracle says. */
async function damageEach(
  bench: Bench,
  verdicts: readonly Finding['verdict'][],
  damage: (one: Derived) => Promise<ItemKey | undefined>,
): Promise<void> {
  await begin(bench);
  const all = await bench.derived();
  let count = 0;
  for (const kind of new Set(all.map(kindOf))) {
    const damaged: ItemKey[] = [];
    for (const one of all.filter((derived) => kindOf(derived) === kind)) {
      const key = await damage(one);
      if (key !== undefined) damaged.push(key);
    }
    if (damaged.length === 0) continue;
    count += damaged.length;
    const { findings } = await bench.check();
    for (const { source, target } of damaged) {
      const found = findings.filter((one) => one.source === source && one.target === target);
      const isFound = found.some(({ verdict }) => verdicts.includes(verdict));
      holds(isFound, `a check does not find the damage of ${source} ${target}, only ${JSON.stringify(findings)}`);
    }
    await bench.check('repair');
    await bench.expectStored();
    await bench.expectClean();
  }
  holds(count > 0, 'no derived item was damaged');
  await bench.expectAnswers();
}

function withText(item: Item, name: string, text: string): Item {
  return { ...item, [name]: { S: text } };
}

/** What a derived item holds, altered; undefined: it holds nothing that can be. */
function altered(item: Item): Item | undefined {
  if (item['attributes'] !== undefined) return { ...item, attributes: { M: { forged: { S: 'forged' } } } };
  if (item['edgeSet'] !== undefined) return { ...item, edgeSet: { SS: ['MEMBER-USER-forged'] } };
  if (item['count'] !== undefined) return { ...item, count: { N: '77' } };
  if (item['value'] !== undefined) return withText(item, 'value', 'forged');
  if (item['gsi0sk'] !== undefined) return withText(item, 'gsi0sk', 'forged');
  if (item['gsi1sk'] !== undefined) return withText(item, 'gsi1sk', 'forged');
  if (item['child'] !== undefined) return withText(item, 'child', 'GOAL-forged');
  return undefined;
}

/** The columns of checks and repairs. */
export const TRUST_OPERATIONS: readonly Operation[] = [
  {
    name: 'clean check',
    covers: ['command:check', 'library:check'],
    run: async (bench) => {
      await begin(bench);
      await bench.putAll(1);
      await bench.consume();
      await bench.expectClean();
      const { derivedItems } = await bench.check();
      holds(derivedItems > 0, 'the check has seen no derived item');
      return RAN;
    },
  },
  {
    name: 'a lost item found and repaired',
    covers: ['attributes', 'element', 'copy', 'fields', 'count'].map((kind) => `wrong.${kind}`),
    run: async (bench) => {
      await damageEach(bench, ['missing'], async ({ key }) => {
        await bench.rig.store.delete(key);
        return key;
      });
      return RAN;
    },
  },
  {
    name: 'a wrong item found and repaired',
    run: async (bench) => {
      await damageEach(bench, ['stale', 'orphan'], async ({ key, item }) => {
        const wrong = altered(item);
        if (wrong === undefined) return undefined;
        await bench.rig.store.put(wrong);
        return key;
      });
      return RAN;
    },
  },
  {
    name: 'an item too many found and repaired',
    run: async (bench) => {
      const { partition } = keyNames(bench.input);
      await damageEach(bench, ['orphan', 'stale'], async ({ key, item }) => {
        // A reverse item under another target, a derived item under a node that does not exist.
        const source = key.source.startsWith('USER-') ? 'USER-none' : 'GOAL-none';
        await bench.rig.store.put({ ...item, [partition]: { S: source } });
        return { source, target: key.target };
      });
      return RAN;
    },
  },
  {
    name: 'rebuild',
    covers: ['command:rebuild'],
    run: async (bench) => {
      await begin(bench);
      const derived = await bench.derived();
      for (const [i, { key, item }] of derived.entries()) {
        const wrong = altered(item);
        if (i % 2 === 0 || wrong === undefined) await bench.rig.store.delete(key);
        else await bench.rig.store.put(wrong);
      }
      await bench.check('rebuild');
      await bench.expectStored();
      await bench.expectAnswers();
      return RAN;
    },
  },
  {
    name: 'groups that find room again',
    covers: ['wrong.room'],
    except: ({ options }) => (options.includes('inbound.groupBy') ? undefined : 'It keeps no groups.'),
    run: async (bench) => {
      await bench.begin();
      const target = bench.targets[1]!;
      const putGroups = async (from: number, to: number, isThere = true): Promise<void> => {
        for (let i = from; i < to; i++)
          await bench.putEdge(`GOAL-many${i}`, target, isThere ? { kind: `kind ${i}` } : undefined);
        await bench.consume();
      };
      const answer = async (options: object): Promise<unknown> => {
        const total = bench.reader().total(target, 'MEMBER', { direction: 'inbound', ...options });
        return await total.catch((error: unknown) => {
          if (error instanceof EdgeloomError) return error.code;
          throw error;
        });
      };
      // A total has names for fifty values. So the last edges have none, and they stay without when others go.
      await putGroups(0, 50);
      await putGroups(50, 56);
      await putGroups(0, 30, false);
      // A total has an edge that is over until it is deleted.
      const { edges } = storedFacts(bench.input, await bench.facts());
      const entering = edges.filter((edge) => edge.type === 'MEMBER' && edge.target === target).length;
      expectSame(
        ((await answer({ groups: false })) as { count: number }).count,
        entering,
        `the number of edges of ${target}`,
      );
      expectSame(await answer({}), 'too-many-groups', `the answer for the groups of ${target}`);
      const { findings } = await bench.check();
      const found = findings.filter(({ verdict }) => verdict === 'maintenance').map(({ source }) => source);
      holds(found.includes(target), `a check does not find that ${target} has room: ${JSON.stringify(findings)}`);
      await bench.check('repair');
      await bench.expectAnswers();
      await bench.expectStored();
      await bench.expectClean();
      return RAN;
    },
  },
  {
    name: 'explain',
    covers: ['command:explain', 'library:explain'],
    run: async (bench) => {
      await begin(bench);
      const { rig, model } = bench;
      const keys = await bench.baseKeys();
      const statesOf = async (key: ItemKey): Promise<string[]> =>
        (await explain(model, { key, store: rig.store })).parts.map(({ state }) => state);
      for (const key of keys) {
        const states = new Set(await statesOf(key));
        for (const state of ['lag', 'drift', 'quarantined'])
          holds(!states.has(state), `explain says ${state} of ${key.source} ${key.target}`);
      }
      // Of each derived item it names the base items that it comes from, and says of these that something is wrong once it is gone.
      for (const { key } of await bench.derived()) {
        const { parts } = await explain(model, { key, store: rig.store });
        holds(parts.length > 0, `explain says nothing of ${key.source} ${key.target}`);
      }
      return RAN;
    },
  },
  {
    name: 'check of an export',
    run: async (bench) => {
      await begin(bench);
      const { rig, model } = bench;
      const folder = await mkdtemp(join(tmpdir(), 'edgeloom-matrix-'));
      try {
        await writeExport(folder, await rig.items());
        const clean = await checkExport({ graph: model, folder });
        expectSame(clean.suspects, [], 'the list of partitions that an export shows as wrong');
        const damaged = (await bench.derived()).find(
          ({ key }) => key.target === '~view' || key.target.startsWith('~ix/'),
        )!;
        const items = (await rig.items()).filter((item) => JSON.stringify(item) !== JSON.stringify(damaged.item));
        await rm(join(folder, 'AWSDynamoDB'), { recursive: true });
        await writeExport(folder, items);
        const found = await checkExport({ graph: model, folder });
        expectSame(found.suspects, [damaged.key.source], 'the list of partitions that an export shows as wrong');
      } finally {
        await rm(folder, { recursive: true });
      }
      return RAN;
    },
  },
  {
    name: 'subject export',
    covers: ['command:subject'],
    run: async (bench) => {
      await begin(bench);
      const { rig, model } = bench;
      for (const id of [...bench.sources, ...bench.targets]) {
        const given: string[] = [];
        const onItem = ({ source, target }: ItemKey): void => void given.push(textOf({ source, target }));
        await exportSubject(model, { store: rig.store, id, onItem, segments: 1, now: () => rig.nowMs() });
        const { edges } = await bench.facts();
        const entering = edges.filter((edge) => edge.target === id && edge.source !== id);
        const expected = [
          ...(await bench.baseKeys()).filter(({ source }) => source === id),
          ...entering.map(({ source, key }) => ({ source, target: key })),
          ...(await bench.derived()).filter(({ key, item }) => names(key, item, id)).map(({ key }) => key),
        ].map(textOf);
        const isMissing = (key: string): boolean => !given.includes(key);
        expectSame(expected.filter(isMissing), [], `the list of items that an export of ${id} leaves out`);
        expectSame(new Set(given).size, given.length, `the number of items in an export of ${id}`);
      }
      return RAN;
    },
  },
  {
    name: 'subject erase',
    covers: ['command:subject'],
    run: async (bench) => {
      if (bench.input.mirrored !== undefined)
        return {
          state: 'none',
          why: 'An item that is made of another table goes when its source goes: tests of subjects have it.',
        };
      await begin(bench);
      const { rig, model } = bench;
      const erased = [bench.sources.at(-1)!, bench.targets.at(-1)!, bench.sources[0]!];
      const erase = (id: string) =>
        eraseSubject(model, {
          ...{ store: rig.store, id, segments: 1 },
          ...{ now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
        });
      for (const id of erased) {
        const { isDone, next } = await erase(id);
        holds(!isDone && next !== undefined, `the first run of an erasure of ${id} names no second one`);
      }
      await bench.consume();
      await bench.expectAnswers();
      await bench.expectStored();
      await rig.wait(50 * 3_600_000);
      for (const id of erased) {
        const { isDone, remains } = await erase(id);
        holds(isDone, `an erasure of ${id} is not done after two runs: ${JSON.stringify(remains.slice(0, 3))}`);
        const left = (await rig.items()).filter((item) => namedIn(item, id));
        expectSame(left, [], `the list of items that name ${id}`);
      }
      await bench.consume();
      await bench.expectAnswers();
      await bench.expectStored();
      await bench.expectClean();
      return RAN;
    },
  },
];

function textOf({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}

/** Whether a derived item is in the partition of a node, or has the node's id in a key, an element or another text. */
function names({ source }: ItemKey, item: Item, id: string): boolean {
  return source === id || namedIn(item, id);
}

/** Whether the id is anywhere in an item, as it is or as elements escape it. No id of a bench is the beginning of another one. */
function namedIn(item: Item, id: string): boolean {
  const text = JSON.stringify(item);
  const escaped = id.replaceAll('%', '%25').replaceAll('|', '%7C');
  return [id, escaped].some((form) => text.includes(form));
}
