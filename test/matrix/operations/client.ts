import { ConditionFailedError, createSession, EdgeloomError, TransactionFailedError } from '../../../src/index.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import { storedFacts } from '../facts.ts';
import { BEFORE_ENDS_MS } from '../features.ts';
import { type Options, ordersOf } from '../model.ts';
import { inboundOf } from '../oracle.ts';
import type { Kind, OpenReader } from '../questions.ts';
import { type Operation, type Outcome, RAN } from './operation.ts';

/** Operations of a writer, and of those who want to see what they have written. */

/** Lists that a session shows: a count over an index says that it may be wrong. */
const OF_SESSIONS: readonly Kind[] = [
  'view',
  'search',
  'equal',
  'inbound',
  'owner',
  'degree',
  'total',
  'nodes',
  'pages',
];

/** A writer of a model that the compiler does not know. */
interface OpenWriter {
  putNode(id: string, attributes?: Options, options?: Options): Promise<unknown>;
  putEdge(source: string, type: string, target: string, attributes?: Options, options?: Options): Promise<unknown>;
  updateNode(id: string, change: unknown, options?: Options): Promise<unknown>;
  updateEdge(source: string, type: string, target: string, change: unknown, options?: Options): Promise<unknown>;
  deleteNode(id: string, options?: Options): Promise<unknown>;
  deleteEdge(source: string, type: string, target: string, options?: Options): Promise<unknown>;
  deleteNodeWithEdges(id: string): Promise<{ notFound: string[]; parts: number }>;
  putPart(id: string, part: string, attributes?: Options, options?: Options): Promise<unknown>;
  updatePart(id: string, part: string, change: unknown, options?: Options): Promise<unknown>;
  deletePart(id: string, part: string, options?: Options): Promise<unknown>;
  with(session: unknown): OpenWriter;
  batch(build: (batch: OpenWriter) => void): Promise<unknown>;
  transact(build: (transaction: OpenTransaction) => void): Promise<unknown>;
  putMany(entries: Iterable<Options>): Promise<unknown>;
}

interface OpenTransaction extends OpenWriter {
  requireNode(id: string, conditions?: Options): void;
  requirePart(id: string, part: string, conditions?: Options): void;
  requireEdge(source: string, type: string, target: string, conditions?: Options): void;
}

function writerOf(bench: Bench): OpenWriter {
  return bench.writer() as unknown as OpenWriter;
}

/** The version that a put of a node has to name; nothing where its type has none. */
async function versionOf(bench: Bench, id: string): Promise<Options> {
  const name = bench.input.nodes[id.slice(0, id.indexOf('-'))]?.['versionAttribute'];
  const version = name === undefined ? undefined : (await bench.facts()).nodes.get(id)?.[String(name)];
  return version === undefined ? {} : { [String(name)]: version };
}

/** The condition that a delete of a node has to name. */
async function asVersion(bench: Bench, id: string): Promise<Options> {
  const name = bench.input.nodes[id.slice(0, id.indexOf('-'))]?.['versionAttribute'];
  return name === undefined ? {} : { if: { [String(name)]: undefined, ...(await versionOf(bench, id)) } };
}

/** Writes everything as it is at a moment, through the writer. */
async function writeAll(bench: Bench, writer: OpenWriter, moment: number): Promise<void> {
  for (const id of bench.ids)
    await writer.putNode(id, { ...bench.attributesOf(id, moment), ...(await versionOf(bench, id)) });
  for (const [source, target] of bench.pairs)
    await writer.putEdge(source, 'MEMBER', target, bench.attributesOfEdge(source, target, moment));
  for (const id of bench.wholes) {
    const attributes = bench.attributesOfPart(id, moment);
    if (attributes === undefined) await writer.deletePart(id, PART);
    else await writer.putPart(id, PART, attributes);
  }
}

/** The part that goals have where a feature has parts. */
const PART = 'STATE';

/** What of a change is set, and what goes. */
function changeOf(before: Options, after: Options): Options {
  const gone = Object.keys(before).filter((name) => after[name] === undefined);
  return { set: after, ...(gone.length > 0 && { remove: gone }) };
}

/** The base items are those of a moment; `gone`: the edges that were deleted. */
async function expectWritten(bench: Bench, moment: number, gone: readonly [string, string][] = []): Promise<void> {
  const { nodes, edges, parts } = await bench.facts();
  for (const id of bench.wholes) {
    const part = bench.attributesOfPart(id, moment);
    expectSame(parts.get(id)?.get(PART), part, `the part of ${id}`);
  }
  for (const id of bench.ids) {
    const expected = bench.attributesOf(id, moment);
    const version = await versionOf(bench, id);
    expectSame(nodes.get(id), { ...expected, ...version }, `the node ${id}`);
  }
  const written = edges.filter(({ type }) => type === 'MEMBER');
  for (const { source, target, attributes } of written)
    expectSame(attributes, bench.attributesOfEdge(source, target, moment), `the edge ${source} ${target}`);
  expectSame(written.length, bench.pairs.length - gone.length, 'the number of edges');
  for (const [from, to] of gone)
    holds(!written.some(({ source, target }) => source === from && target === to), `the edge ${from} ${to} is there`);
}

async function projectAndExpect(bench: Bench): Promise<void> {
  await bench.consume();
  await bench.expectAnswers();
  await bench.expectStored();
}

async function codeOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
    return 'done';
  } catch (error) {
    if (error instanceof EdgeloomError) return error.code;
    throw error;
  }
}

/** What a session of one writer shows, before and after its writes are projected. */
async function showOwnWrites(bench: Bench, lowWatermark?: () => Promise<number | undefined>): Promise<Outcome> {
  const { rig } = bench;
  await bench.begin();
  const session = createSession({ now: () => rig.nowMs(), ...(lowWatermark && { lowWatermark }) });
  const writer = writerOf(bench).with(session);
  const reader = bench.reader().with(session) as unknown as OpenReader;
  const expectShown = () => bench.expectAnswers({ reader, kinds: OF_SESSIONS });
  const [first, second] = bench.sources as [string, string];
  await writer.putNode(first, { ...bench.attributesOf(first, 1), ...(await versionOf(bench, first)) });
  await expectShown();
  const [source, target] = bench.pairs.at(-1)!;
  await writer.putEdge(source, 'MEMBER', target, bench.attributesOfEdge(source, target, 1));
  await expectShown();
  await writer.deleteEdge(...edgeOf(bench.pairs[0]!));
  await writer.deleteNode(second, await asVersion(bench, second));
  await expectShown();
  const [whole, other, ...rest] = bench.wholes;
  if (whole !== undefined) {
    await writer.putPart(whole, PART, bench.attributesOfPart(whole, 1));
    await writer.deletePart(other!, PART);
    // A part that comes where there was none.
    await writer.putPart(rest.at(-1)!, PART, bench.attributesOfPart(whole, 2));
    await expectShown();
  }
  await bench.consume();
  await expectShown();
  // It lets go of what is projected, and answers go on being right.
  for (let looks = 0; looks < 4; looks++) {
    await rig.wait(70_000);
    await expectShown();
  }
  expectSame(session.keys(), [], 'the list of keys that a session remembers of what is projected');
  return RAN;
}

function edgeOf([source, target]: [string, string]): [string, string, string] {
  return [source, 'MEMBER', target];
}

/** The columns of writers. */
export const CLIENT_OPERATIONS: readonly Operation[] = [
  {
    name: 'own write in a session',
    covers: [
      'library:createSession',
      'reader.with',
      'writer.with',
      'session.token',
      'session.keys',
      'session.note',
      'session.refresh',
      'session.bindTo',
      'session.ownWrites',
    ],
    run: (bench) => showOwnWrites(bench),
  },
  {
    name: 'own write in a session with lowWatermark',
    covers: ['library:createLowWatermark'],
    run: async (bench) => {
      const { rig } = bench;
      // What is projected is known to the second; the last write may lie in it.
      return await showOwnWrites(bench, async () =>
        (await bench.isConsumed()) ? rig.nowMs() : rig.nowMs() - 3_600_000,
      );
    },
  },
  {
    name: 'wait',
    covers: ['command:wait', 'reader.waitForProjection'],
    run: async (bench) => {
      await bench.begin();
      await bench.deleteSome();
      await bench.putAll(1);
      const keys = [
        ...bench.ids.map((id): [string] => [id]),
        ...bench.pairs.map(([source, target]): [string, string, string] => [source, 'MEMBER', target]),
      ];
      const reader = bench.reader();
      const waitFor = (key: (typeof keys)[number]): Promise<string> =>
        codeOf(() => reader.waitForProjection(...([...key, { timeoutMs: 0 }] as unknown as [never])));
      const before = await Promise.all(keys.map(waitFor));
      holds(before.includes('projection-timeout'), 'a wait is over before anything is projected');
      await bench.consume();
      for (const key of keys) expectSame(await waitFor(key), 'done', `the end of a wait for ${key.join(' ')}`);
      return RAN;
    },
  },
  {
    name: 'put by the writer',
    covers: [
      'command:put',
      'command:delete',
      'library:createWriter',
      'writer.putNode',
      'writer.putEdge',
      'writer.deleteNode',
      'writer.deleteEdge',
      'writer.putPart',
      'writer.deletePart',
    ],
    run: async (bench) => {
      await bench.migrate(bench.model);
      const writer = writerOf(bench);
      await writeAll(bench, writer, 0);
      await projectAndExpect(bench);
      await writeAll(bench, writer, 1);
      await expectWritten(bench, 1);
      await writer.deleteEdge(...edgeOf(bench.pairs[0]!));
      await expectWritten(bench, 1, [bench.pairs[0]!]);
      const [, second] = bench.sources as [string, string];
      await writer.deleteNode(second, await asVersion(bench, second));
      holds(!(await bench.facts()).nodes.has(second), `the node ${second} is there after its delete`);
      await projectAndExpect(bench);
      return RAN;
    },
  },
  {
    name: 'many puts',
    covers: ['command:import', 'library:importFile', 'writer.putMany', 'writer.batch'],
    run: async (bench) => {
      await bench.migrate(bench.model);
      const writer = writerOf(bench);
      if (bench.input.nodes['GOAL']!['versionAttribute'] !== undefined) {
        const code = await codeOf(() => writer.putMany([{ id: bench.sources[0]!, attributes: {} }]));
        expectSame(code, 'versioned-type', 'the answer to a put without a version');
        return { state: 'refused', code };
      }
      await writer.putMany([
        ...bench.ids.map((id) => ({ id, attributes: bench.attributesOf(id, 0) })),
        ...bench.pairs.map(([source, target]) => ({
          source,
          type: 'MEMBER',
          target,
          attributes: bench.attributesOfEdge(source, target, 0),
        })),
        ...bench.wholes.flatMap((id) => {
          const attributes = bench.attributesOfPart(id, 0);
          return attributes === undefined ? [] : [{ id, part: PART, attributes }];
        }),
      ]);
      await expectWritten(bench, 0);
      await projectAndExpect(bench);
      await writer.batch((batch) => {
        for (const id of bench.ids) batch.putNode(id, bench.attributesOf(id, 1));
        for (const [source, target] of bench.pairs)
          batch.putEdge(source, 'MEMBER', target, bench.attributesOfEdge(source, target, 1));
        batch.deleteEdge(...edgeOf(bench.pairs[1]!));
        for (const id of bench.wholes) {
          const attributes = bench.attributesOfPart(id, 1);
          if (attributes === undefined) batch.deletePart(id, PART);
          else batch.putPart(id, PART, attributes);
        }
      });
      await expectWritten(bench, 1, [bench.pairs[1]!]);
      await projectAndExpect(bench);
      return RAN;
    },
  },
  {
    name: 'update',
    covers: ['command:update', 'writer.updateNode', 'writer.updateEdge', 'writer.updatePart'],
    run: async (bench) => {
      await bench.begin();
      bench.nowMs = BEFORE_ENDS_MS;
      const writer = writerOf(bench);
      for (const moment of [1, 2]) {
        for (const id of bench.ids) {
          const after = bench.attributesOf(id, moment);
          const version = await versionOf(bench, id);
          const change = moment === 1 ? changeOf(bench.attributesOf(id, 0), after) : () => ({ ...after, ...version });
          await writer.updateNode(id, change);
        }
        for (const [source, target] of bench.pairs) {
          const after = bench.attributesOfEdge(source, target, moment);
          const change = moment === 1 ? changeOf(bench.attributesOfEdge(source, target, 0), after) : () => after;
          await writer.updateEdge(source, 'MEMBER', target, change);
        }
        for (const id of bench.wholes) {
          const [before, after] = [bench.attributesOfPart(id, moment - 1), bench.attributesOfPart(id, moment)];
          if (after === undefined) await writer.deletePart(id, PART);
          else if (before === undefined) await writer.putPart(id, PART, after);
          else await writer.updatePart(id, PART, moment === 1 ? changeOf(before, after) : () => after);
        }
        await expectWritten(bench, moment);
        await projectAndExpect(bench);
      }
      return RAN;
    },
  },
  {
    name: 'condition',
    run: async (bench) => {
      await bench.begin();
      const writer = writerOf(bench);
      const [id] = bench.sources as [string];
      const [source, target] = bench.pairs[0]!;
      const before = JSON.stringify(await bench.rig.items());
      const wrong = { if: { title: 'never so' } };
      const stored = (await asVersion(bench, id)) as { if?: Options };
      const refusals = [
        () => writer.putNode(id, bench.attributesOf(id, 1), { ifAbsent: true }),
        () => writer.putEdge(source, 'MEMBER', target, {}, { ifAbsent: true }),
        () => writer.updateNode(id, { set: { title: 'forged' } }, wrong),
        () => writer.updateEdge(source, 'MEMBER', target, { set: { note: 'forged' } }, { if: { note: 'never so' } }),
        () => writer.deleteNode(id, { if: { ...stored.if, ...wrong.if } }),
        () => writer.deleteEdge(source, 'MEMBER', target, { if: { note: 'never so' } }),
        ...bench.wholes
          .slice(0, 1)
          .flatMap((whole) => [
            () => writer.putPart(whole, PART, {}, { ifAbsent: true }),
            () => writer.updatePart(whole, PART, { set: { mood: 'forged' } }, { if: { mood: 'never so' } }),
            () => writer.deletePart(whole, PART, { if: { mood: 'never so' } }),
          ]),
      ];
      for (const refuse of refusals) {
        const error: unknown = await refuse().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        holds(error instanceof ConditionFailedError, `a condition that does not hold ends in ${error}`);
      }
      expectSame(
        JSON.stringify(await bench.rig.items()),
        before,
        'the table after writes whose conditions did not hold',
      );
      const { nodes } = await bench.facts();
      const { title } = nodes.get(id)!;
      const after = { ...bench.attributesOf(id, 1), ...(await versionOf(bench, id)) };
      await writer.putNode(id, after, { ifPresent: true, ...(title !== undefined && { if: { title } }) });
      await writer.deleteEdge(source, 'MEMBER', target, { ifPresent: true });
      await writer.putEdge(source, 'MEMBER', target, bench.attributesOfEdge(source, target, 1), { ifAbsent: true });
      for (const whole of bench.wholes.slice(0, 1))
        await writer.putPart(whole, PART, bench.attributesOfPart(whole, 1), { ifPresent: true });
      await projectAndExpect(bench);
      return RAN;
    },
  },
  {
    name: 'transaction',
    covers: [
      'writer.transact',
      'transaction.putNode',
      'transaction.putEdge',
      'transaction.updateNode',
      'transaction.updateEdge',
      'transaction.deleteNode',
      'transaction.deleteEdge',
      'transaction.requireNode',
      'transaction.requireEdge',
      'transaction.putPart',
      'transaction.updatePart',
      'transaction.deletePart',
      'transaction.requirePart',
    ],
    run: async (bench) => {
      await bench.begin();
      bench.nowMs = BEFORE_ENDS_MS;
      const writer = writerOf(bench);
      const [first, second, third] = bench.sources as [string, string, string];
      const [one, other] = bench.pairs as [[string, string], [string, string]];
      const firstVersion = await versionOf(bench, first);
      const ofThird = await asVersion(bench, third);
      const transact = (require: string): Promise<unknown> =>
        writer.transact((transaction) => {
          transaction.requireNode(require);
          transaction.putNode(first, { ...bench.attributesOf(first, 1), ...firstVersion });
          transaction.updateNode(second, changeOf(bench.attributesOf(second, 0), bench.attributesOf(second, 1)));
          transaction.deleteNode(third, ofThird);
          transaction.putEdge(...edgeOf(one), bench.attributesOfEdge(...one, 1));
          transaction.deleteEdge(...edgeOf(other));
          const [whole, next, ...rest] = bench.wholes;
          if (whole === undefined) return;
          transaction.requirePart(whole, PART);
          transaction.updatePart(next!, PART, { set: bench.attributesOfPart(next!, 2)! });
          transaction.deletePart(rest[0]!, PART);
          transaction.putPart(rest[1]!, PART, bench.attributesOfPart(whole, 1));
        });
      const before = JSON.stringify(await bench.rig.items());
      const error: unknown = await transact('USER-none').then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      holds(error instanceof TransactionFailedError, `a transaction whose condition does not hold ends in ${error}`);
      expectSame(JSON.stringify(await bench.rig.items()), before, 'the table after a transaction that failed');
      await transact(bench.targets[0]!);
      const { nodes } = await bench.facts();
      holds(!nodes.has(third), `the transaction has not deleted ${third}`);
      await projectAndExpect(bench);
      return RAN;
    },
  },
  {
    name: 'deleteNodeWithEdges',
    covers: ['writer.deleteNodeWithEdges'],
    run: async (bench) => {
      await bench.begin();
      const writer = writerOf(bench);
      const [source] = bench.sources as [string];
      const [target] = bench.targets as [string];
      const facts = await bench.facts();
      const live = storedFacts(bench.input, facts);
      const options = bench.input.edges['MEMBER']!;
      const inbound = options['inbound'] as Options | undefined;
      // What enters it is known by its reverse items or entries, or by an order that the edge is in; not where an attribute names the partitions.
      const isKnown = inbound !== undefined && inbound['partition'] === undefined;
      const orders = isKnown ? ordersOf(options) : [];
      const rows = orders.flatMap(([name]) => inboundOf(bench.input, live, 'MEMBER', target, name));
      const known = new Set(rows.map(({ edge }) => edge.source));
      // A reverse item, or an entry of a total, names each edge.
      const isNamed = [options['copy'], inbound?.['total'], inbound?.['groupBy']].some(
        (option) => option !== undefined,
      );
      const there = new Set(live.edges.filter((edge) => edge.target === target).map((edge) => edge.source));
      const isListed = (from: string): boolean => known.has(from) || (isNamed && there.has(from));
      const { notFound } = await writer.deleteNodeWithEdges(target);
      // Edges that are made of another table stay, whether they are found or not.
      const isMirrored = bench.model.mirrored?.has('MEMBER') === true;
      const made = Object.keys(bench.input.edges).filter((type) => type !== 'MEMBER');
      expectSame(
        notFound,
        [...(isNamed && options['deletedWhen'] === undefined && !isMirrored ? [] : ['MEMBER']), ...made],
        'the list of types of which edges may be left',
      );
      const ofSource = facts.parts.get(source)?.size ?? 0;
      expectSame((await writer.deleteNodeWithEdges(source)).parts, ofSource, 'the number of parts that are deleted');
      const { edges: left, parts } = await bench.facts();
      holds(!parts.has(source), `parts of ${source} are left`);
      const expected = facts.edges.filter(
        (edge) => isMirrored || (edge.source !== source && !(edge.target === target && isListed(edge.source))),
      );
      const textsOf = (all: readonly { source: string; key: string }[]): string[] =>
        all.map((edge) => `${edge.source} ${edge.key}`).sort();
      expectSame(textsOf(left), textsOf(expected), 'the list of edges that are left');
      await projectAndExpect(bench);
      return RAN;
    },
  },
];
