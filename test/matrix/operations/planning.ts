import { modelCost } from '../../../packages/cost/capacity.ts';
import { OVERVIEW_ROUTES } from '../../../packages/studio/api/model-and-status.ts';
import { NODE_ROUTES } from '../../../packages/studio/api/nodes.ts';
import { QUERY_ROUTES, type QueryRow } from '../../../packages/studio/api/query.ts';
import { requestContext } from '../../../packages/studio/base/context.ts';
import type { StudioRoute } from '../../../packages/studio/base/route.ts';
import { TableSample } from '../../../packages/studio/base/table-sample.ts';
import { status } from '../../../src/admin.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import type { DerivedUpdate } from '../../../src/core/store-port.ts';
import { policyResources } from '../../../src/deployment/stack/rights/policies.ts';
import { roleResources } from '../../../src/deployment/stack/rights/roles.ts';
import { toJson } from '../../../src/foundation/exact-json.ts';
import { registryLeases } from '../../../src/registry/reader-lease.ts';
import { byOneClock } from '../../support/moments.ts';
import { testSite } from '../../support/stack/parameters.ts';
import { type Access, grantOf, tableArn } from '../../support/stack/policy-proxy.ts';
import { roleStatements } from '../../support/stack/statements.ts';
import type { PolicyStatement, TemplateResource } from '../../support/stack/template.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import { type Facts, liveFacts, presentFacts } from '../facts.ts';
import { type Options, ordersOf, searchesOf } from '../model.ts';
import { inboundOf, typeOf } from '../oracle.ts';
import { type Operation, RAN } from './operation.ts';

/** Operations of those who look at a model or a table from outside: what it costs, which rights it takes, how it is shown. */

/** Attributes that have everything that a feature looks at, and one value where it has several. */
function full(bench: Bench, of: (moment: number) => Options): Options {
  const found: Options = {};
  for (let moment = 0; moment < 8; moment++)
    for (const [name, value] of Object.entries(of(moment)))
      found[name] ??= Array.isArray(value) ? value.slice(0, 1) : value;
  const budget = bench.mayBeEvicted ? { title: 'short' } : {};
  // What is soft-deleted costs nothing more.
  for (const { deletedWhen } of [...bench.model.nodes.values(), ...bench.model.edges.values()])
    if (deletedWhen !== undefined) delete found[deletedWhen];
  return { ...found, ...budget };
}

/** The write units that a put of an item takes, and all that is derived of it. */
async function unitsOf(bench: Bench, put: () => Promise<void>): Promise<number> {
  const { rig } = bench;
  const before = (await rig.records()).length;
  await put();
  const { wcu } = await bench.project((await rig.records()).slice(before));
  await bench.consume();
  return wcu;
}

/** The write units of the native indexes that have an item with these attributes: the producer's own put takes them. */
function nativeUnits({ model }: Bench, attributes: Options): number {
  return nativeIndexes(model).filter(({ attribute }) => attributes[attribute] !== undefined).length;
}

/** What a call of the store asks of IAM. */
function accessesOf({ table }: CompiledModel, method: string, [first]: readonly unknown[]): Access[] {
  const resource = tableArn(table.name);
  // Policies allow an action on all indexes of a table at once.
  const indexes = `${resource}/index/*`;
  const of = (action: string, leadingKeys: string[], where = resource): Access => ({
    action: `dynamodb:${action}`,
    resource: where,
    leadingKeys,
  });
  const keyOf = (one: unknown): string => {
    const { key, source, item } = one as {
      key?: { source: string };
      source?: string;
      item?: Record<string, { S: string }>;
    };
    return key?.source ?? source ?? Object.values(item ?? {})[0]!.S;
  };
  if (method === 'query') {
    const { index, partition } = first as { index?: string; partition: string };
    return [index === undefined ? of('Query', [partition]) : of('Query', [], indexes)];
  }
  if (method === 'queryNative') return [of('Query', [], indexes)];
  if (method === 'getMany')
    return (first as unknown[]).length === 0 ? [] : [of('BatchGetItem', (first as unknown[]).map(keyOf))];
  // Known items are written by statements, the others by UpdateItem.
  if (method === 'updateMany')
    return (first as DerivedUpdate[]).flatMap((one) => {
      const statement = one.condition.kind === 'absent' ? 'PartiQLInsert' : 'PartiQLUpdate';
      return [of('UpdateItem', [keyOf(one)]), of(statement, [keyOf(one)])];
    });
  if (method === 'transact') return (first as unknown[]).map((one) => of('UpdateItem', [keyOf(one)]));
  const single: Record<string, string> = { get: 'GetItem', update: 'UpdateItem', delete: 'DeleteItem' };
  if (single[method] !== undefined) return [of(single[method], [keyOf(first)])];
  if (method === 'put')
    return [of('PutItem', [(Object.values(first as Record<string, { S: string }>)[0] as { S: string }).S])];
  if (method === 'scan') {
    const { index } = first as { index?: string };
    return [of('Scan', [], index === undefined ? resource : indexes)];
  }
  return [];
}

/** A store that refuses what the statements do not allow. */
function guarded<S extends object>(store: S, model: CompiledModel, statements: readonly PolicyStatement[]): S {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...parameters: unknown[]) => {
        for (const access of accessesOf(model, String(name), parameters))
          holds(grantOf(statements, access) !== undefined, `${access.action} on ${access.resource} is not allowed`);
        return Reflect.apply(method, target, parameters) as unknown;
      };
    },
  });
}

/** The answer of a route of the studio. */
async function answerOf(bench: Bench, path: string, input: Options): Promise<Options> {
  const { model: graph, rig } = bench;
  const leases = registryLeases(
    graph,
    rig.store,
    byOneClock(() => rig.nowMs()),
  );
  const routes: readonly StudioRoute[] = [...NODE_ROUTES, ...QUERY_ROUTES, ...OVERVIEW_ROUTES];
  const found = routes.find((one) => one.path === path)!;
  // The code that asks the same names the table's region.
  const client = { config: { region: async () => 'eu-central-1' } };
  const given = { graph, store: rig.store, leases };
  const sample = { read: async () => await new TableSample().read({ ...given, itemCount: async () => 0 }) };
  const studio = { client, sample } as unknown as Parameters<typeof requestContext>[0];
  const context = requestContext({ ...studio, ...given });
  // As the page gets it.
  return JSON.parse(toJson(await found.answer(context, input))) as Options;
}

/** The number of edges of a type that enter a node in the first order; undefined where they lie in partitions by a value. */
function enteringOfType(input: Bench['input'], facts: Facts, id: string, type: string): number | undefined {
  const options = input.edges[type]!;
  const inbound = options['inbound'] as Options | undefined;
  if (inbound === undefined || !(options['to'] as string[]).includes(typeOf(id))) return 0;
  const names = ordersOf(options).map(([name]) => name);
  const first = ['gsi0', 'gsi1'].find((name) => names.includes(name)) ?? names[0]!;
  return inbound['partition'] === undefined ? inboundOf(input, facts, type, id, first).length : undefined;
}

/** The columns of those who look from outside. */
export const PLANNING_OPERATIONS: readonly Operation[] = [
  {
    name: 'cost',
    covers: ['command:cost'],
    run: async (bench) => {
      await bench.migrate(bench.model);
      const { writes } = modelCost(bench.model);
      const costOf = (type: string) => writes.find((one) => one.type === type && one.write === 'create')!;
      const [source] = bench.sources as [string];
      const target = bench.targets[1]!;
      const ofNode = full(bench, (moment) => bench.attributesOf(source, moment));
      const node = await unitsOf(bench, () => bench.putNode(source, ofNode));
      expectSame(
        node + nativeUnits(bench, ofNode),
        costOf(typeOf(source)).total - 1,
        `the cost of a put of ${source}, without that of the node itself,`,
      );
      if (bench.wholes.length > 0) {
        const part = await unitsOf(bench, () =>
          bench.putPart(
            source,
            full(bench, (moment) => bench.attributesOfPart(source, moment) ?? {}),
          ),
        );
        const expected = costOf(`${typeOf(source)}.STATE`).total - 1;
        expectSame(part, expected, 'the cost of a put of a part, without that of the part itself,');
      }
      // The first write of a set says whether an engine takes sets in statements: where it does not, that write is made twice.
      if (!bench.rig.countsTransactions) {
        const [first] = bench.targets as [string];
        const attributes = full(bench, (moment) => bench.attributesOfEdge(source, first, moment));
        await unitsOf(bench, () => bench.putEdge(source, first, attributes));
      }
      const ofEdge = full(bench, (moment) => bench.attributesOfEdge(source, target, moment));
      const edge = (await unitsOf(bench, () => bench.putEdge(source, target, ofEdge))) + nativeUnits(bench, ofEdge);
      const { count, incoming } = bench.model.edges.get('MEMBER')!;
      const isCounted = count !== undefined || incoming !== undefined;
      if (bench.rig.countsTransactions || !isCounted)
        expectSame(edge, costOf('MEMBER').total - 1, 'the cost of a put of an edge, without that of the edge itself,');
      return RAN;
    },
  },
  {
    name: 'rights of the stack',
    covers: ['command:stack'],
    run: async (bench) => {
      const { model } = bench;
      const arn = tableArn(model.table.name);
      const site = testSite(model, { existingTableArn: arn, existingStreamArn: `${arn}/stream/2026` });
      const resources = { ...roleResources(site), ...policyResources(site) } as Record<string, TemplateResource>;
      const { store } = bench.rig;
      await bench.begin();
      await bench.putAll(1);
      await bench.deleteSome();
      await bench.consume({ store: guarded(store, model, statementsOf(resources, 'StreamRole')) });
      await bench.expectStored();
      await bench.expectAnswers({
        reader: bench.reader(bench.model, guarded(store, model, statementsOf(resources, 'ReaderPolicy'))),
      });
      await bench.check('report', { store: guarded(store, model, statementsOf(resources, 'CheckRole')) });
      for (const { key } of await bench.derived()) await store.delete(key);
      await bench.check('rebuild', { store: guarded(store, model, statementsOf(resources, 'RebuildRole')) });
      await bench.expectStored();
      return RAN;
    },
  },
  {
    name: 'studio',
    covers: ['command:studio'],
    run: async (bench) => {
      await bench.begin();
      const facts = await bench.facts();
      const present = presentFacts(bench.input, facts);
      for (const { kind, expected } of await bench.questions(['view'])) {
        if (kind !== 'view') continue;
        const views = expected as ({ id: string; attributes: unknown; edgeSet: unknown } | null)[];
        for (const { id, attributes, edgeSet } of views.filter((one) => one !== null)) {
          const { view, base, parts, edgeSet: shown } = await answerOf(bench, '/api/node', { id });
          const own = bench.wholes.includes(id) ? Object.fromEntries(facts.parts.get(id) ?? []) : {};
          expectSame(parts, own, `the parts of ${id} in the studio`);
          expectSame(view, attributes, `the view of ${id} in the studio`);
          expectSame(base, present.nodes.get(id) ?? null, `${id} in the studio`);
          if (!bench.mayBeEvicted) expectSame(shown, edgeSet, `the edge set of ${id} in the studio`);
          for (const type of Object.keys(bench.input.edges)) {
            const entering = enteringOfType(bench.input, liveFacts(bench.input, facts), id, type);
            if (entering === undefined || entering === 0) continue;
            const { rows } = await answerOf(bench, '/api/query', { type, id, limit: '500' });
            expectSame((rows as unknown[]).length, entering, `the edges of ${type} that enter ${id} in the studio`);
          }
          const { items } = await answerOf(bench, '/api/edges', { id, limit: '500' });
          const leaving = present.edges.filter((edge) => edge.source === id).length;
          expectSame((items as unknown[]).length, leaving, `the edges that leave ${id} in the studio`);
        }
      }
      for (const type of Object.keys(bench.input.nodes))
        for (const name of searchesOf(bench.input.nodes[type]!).keys()) {
          const [list] = (await bench.questions(['search'])).filter(
            ({ projection }) => projection === `search:${type}.${name}`,
          );
          if (list === undefined) continue;
          const partition = / in (\S+)$/.exec(list.text)?.[1];
          const { rows } = await answerOf(bench, '/api/query', {
            search: `${type}.${name}`,
            limit: '500',
            ...(partition && { partition }),
          });
          const hits = (rows as QueryRow[]).map(({ id, attributes, sortedBy: [sorted] = [] }) => {
            return { id, attributes, ...(sorted !== undefined && { value: sorted.value }) };
          });
          expectSame(hits, list.expected, `the search ${name} in the studio`);
        }
      const { nodes } = await answerOf(bench, '/api/model', {});
      holds(nodes !== undefined, 'the studio shows no node types');
      return RAN;
    },
  },
  {
    name: 'status',
    covers: ['command:status', 'library:status'],
    run: async (bench) => {
      const { rig, model } = bench;
      await bench.begin();
      const clean = await status(model, { store: rig.store, now: () => rig.nowMs() });
      expectSame(clean.quarantined, {}, 'the quarantine that status counts');
      const { bad } = bench;
      if (bad === undefined) return RAN;
      await bench.putWith(bad.of, bad.attributes, 1);
      await bench.consume();
      const { quarantined } = await status(model, { store: rig.store, now: () => rig.nowMs() });
      const count = Object.values(quarantined).reduce((sum, one) => sum + Number(one), 0);
      // A node that makes edges has an entry for each of them.
      holds(count > 0, 'status counts nothing in quarantine');
      return RAN;
    },
  },
];

function statementsOf(resources: Record<string, TemplateResource>, role: string): PolicyStatement[] {
  const resource = resources[role];
  if (resource === undefined) throw new Error(`the stack has no ${role}, only ${Object.keys(resources).join(' ')}`);
  if (resource.Type === 'AWS::IAM::Role') return roleStatements(resource);
  return (resource.Properties['PolicyDocument'] as { Statement: PolicyStatement[] }).Statement;
}
