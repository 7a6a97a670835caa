import type { Truncated } from '../../../src/client/read/levels/level-walk.ts';
import type { PageResult } from '../../../src/client/read/page.ts';
import { evictedTypes } from '../../../src/core/items/stored-view.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { createReader, createSession, createWriter } from '../../../src/index.ts';
import { withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { Random } from '../../simulator/kernel/random.ts';
import { neighborsOf } from '../page-nodes.ts';
import { type Asked, askedLevels, walkLevels } from './levels-oracle.ts';
import { comparePlaces } from './places.ts';
import {
  type DrawnEdge,
  type DrawnGraph,
  type DrawnOptions,
  drawnEdge,
  drawnGraph,
  drawnLevels,
  drawnModel,
  drawnNode,
  EDGE_TYPES,
  edgeName,
  largeEdge,
} from './random-levels.ts';

/** A table for one run. */
export interface LevelsTable {
  store: Store;
  /** Projects what was written since the last call. */
  project: () => Promise<unknown>;
}

/** What a run met, so that a test can say that its runs meet everything. */
export interface Met {
  evicted: boolean;
  copied: boolean;
  inbound: boolean;
  truncatedByNodes: boolean;
  truncatedByDepth: boolean;
  ownWrites: boolean;
  /** A page that read only some of the edges of a node, and named more than 100 of them. */
  cutQuery: boolean;
  /** Own writes to an edge type that has left the set of a node that was shown. */
  ownInEvicted: boolean;
}

interface OpenWriter {
  putNode(id: string, attributes: object): Promise<unknown>;
  deleteNode(id: string): Promise<unknown>;
  putEdge(source: string, type: string, target: string, attributes: object): Promise<unknown>;
  deleteEdge(source: string, type: string, target: string): Promise<unknown>;
}

const PAGES = 6;

/** Compares pages with random levels over a random graph with the oracle; throws what differs. */
export async function runLevels(seed: number, tableOf: (model: CompiledModel) => Promise<LevelsTable>): Promise<Met> {
  const random = new Random(seed);
  const options: DrawnOptions = { copies: random.chance(0.5), evicts: random.chance(0.3), hub: random.chance(0.15) };
  const graph = drawnGraph(random, options);
  const model = drawnModel(options);
  const table = await tableOf(model);
  const session = createSession();
  const writer = createWriter(model, { store: table.store }) as unknown as OpenWriter;
  for (const [id, attributes] of graph.nodes) await writer.putNode(id, attributes);
  for (const { source, type, target, attributes } of graph.edges.values())
    await writer.putEdge(source, type, target, attributes);
  await table.project();
  const views = await table.store.getMany(
    [0, 1, 2, 3, 4, 5].map((i) => ({ source: `GOAL-${i}`, target: '~view' })),
    { consistent: true },
  );
  const met: Met = {
    evicted: views.items.some((view) => view?.['evicted'] !== undefined),
    ...{ copied: false, inbound: false, truncatedByNodes: false, truncatedByDepth: false, ownWrites: false },
    ...{ cutQuery: false, ownInEvicted: false },
  };
  const reader = createReader(model, { store: table.store, leases: withoutRegistry(model) });
  for (let page = 0; page < PAGES; page++) await comparePage(random, reader, { graph, options }, met);
  const own = (writer as unknown as { with(of: unknown): OpenWriter }).with(session);
  const written = await writeSome(random, own, graph, options);
  const ofEvicted = views.items.flatMap((view, i) => {
    const types = evictedTypes(view);
    return written.filter(({ source, type }) => source === `GOAL-${i}` && types.has(type));
  });
  met.ownWrites = true;
  const seeing = reader.with(session) as typeof reader;
  for (let page = 0; page < PAGES; page++)
    await comparePage(random, seeing, { graph, options, own: new Set(ofEvicted.map(({ source }) => source)) }, met);
  return met;
}

/** Writes that nothing projects; gives their edges. */
async function writeSome(
  random: Random,
  writer: OpenWriter,
  graph: DrawnGraph,
  options: DrawnOptions,
): Promise<DrawnEdge[]> {
  const written: DrawnEdge[] = [];
  for (let i = 0; i < 6; i++) {
    const [id, attributes] = drawnNode(random);
    if (attributes === undefined) {
      graph.nodes.delete(id);
      await writer.deleteNode(id);
    } else {
      graph.nodes.set(id, attributes);
      await writer.putNode(id, attributes);
    }
    const drawn = options.evicts && random.chance(0.3) ? largeEdge(random) : drawnEdge(random, options);
    const known = [...graph.edges.values()].filter(({ type }) => type in EDGE_TYPES);
    const gone = random.chance(0.4) ? known[random.below(Math.max(1, known.length))] : undefined;
    if (gone !== undefined) {
      graph.edges.delete(edgeName(gone));
      written.push(gone);
      await writer.deleteEdge(gone.source, gone.type, gone.target);
    } else {
      graph.edges.set(edgeName(drawn), drawn);
      written.push(drawn);
      await writer.putEdge(drawn.source, drawn.type, drawn.target, drawn.attributes);
    }
  }
  return written;
}

/** The nodes whose names edges copy. */
function copiedTargets({ edges }: DrawnGraph, { copies }: DrawnOptions): ReadonlySet<string> {
  return new Set([...edges.values()].filter(({ type }) => copies && type === 'LEAD').map(({ target }) => target));
}

interface Drawn {
  graph: DrawnGraph;
  options: DrawnOptions;
  /** With a session that shows its own writes: the nodes of which these changed a type that has left the set. */
  own?: ReadonlySet<string>;
}

async function comparePage(
  random: Random,
  reader: ReturnType<typeof createReader>,
  { graph, options, own }: Drawn,
  met: Met,
): Promise<void> {
  const entries = random.chance(0.1) ? undefined : drawnLevels(random, ['GOAL']);
  const maxNodes = random.chance(0.4) ? 1 + random.below(12) : undefined;
  const asked = { ...(entries && { with: entries }), ...(maxNodes !== undefined && { maxNodes }) };
  const page = (await reader.page('TEAM-1', 'LIST', asked as never)) as unknown as PageResult;
  const listed = [...graph.edges.values()].filter(({ type }) => type === 'LIST');
  const ids = listed.map(({ source }) => source).sort();
  const problem = (text: string): Error => new Error(`${text} of a page with ${JSON.stringify(asked)}`);
  const same = (actual: unknown, expected: unknown, text: string): void => {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (left !== right) throw problem(`${text} is ${left} instead of ${right}: that is`);
  };
  same(page.items.map(({ id }) => id).sort(), ids, 'the list of nodes');
  const whole = walkLevels(graph, ids, entries, options.copies);
  const truncated: Truncated | undefined = page.truncated;
  const hidden = new Set(truncated?.ids);
  const cut = new Set(truncated?.edgesOf);
  const nodes = neighborsOf(page);
  const shown = Object.keys(nodes);
  if (maxNodes !== undefined && shown.length > maxNodes) throw problem(`${shown.length} nodes are too many`);
  for (const id of hidden) if (id in nodes) throw problem(`${id} is shown, and left out,`);
  if (truncated?.reason === 'maxNodes') met.truncatedByNodes = true;
  if (truncated?.reason === 'depth') met.truncatedByDepth = true;
  // What is there is shown, or named among what is left out: next to each node that is shown.
  // A page that is full asks no more nodes for their edges.
  const isBounded = maxNodes !== undefined && maxNodes <= whole.nodes.size;
  const reached = isBounded ? walkLevels(graph, ids, entries, options.copies, (id) => id in nodes) : whole;
  if (!isBounded) {
    same([...shown].sort(), [...whole.nodes.keys()].sort(), 'the list of neighbors');
    const deep = whole.tooDeep;
    const expected = [...deep.ids].filter((id) => !(id in nodes)).sort();
    same([...hidden].sort(), expected, 'the list of nodes on a level that is too deep');
    // A node that is shown elsewhere is not left out, but it is missing at the place beyond the last level.
    const missing = deep.edges.filter(({ end }) => end in nodes).map(({ id }) => id);
    const cutOf = [...new Set([...deep.edgesOf, ...missing])].sort();
    same([...cut].sort(), cutOf, 'the list of nodes whose edges are not shown');
  } else {
    if (truncated === undefined) same([...shown].sort(), [...whole.nodes.keys()].sort(), 'the list of neighbors');
    for (const id of shown) if (!whole.nodes.has(id)) throw problem(`${id} is shown for no reason`);
    if (cut.size === 0) same([...shown].sort(), [...reached.nodes.keys()].sort(), 'the list of neighbors');
    else for (const id of shown) if (!reached.nodes.has(id)) throw problem(`${id} is next to nothing that is shown`);
    if (cut.size > 0 && hidden.size >= 100) met.cutQuery = true;
    for (const id of silent(graph, ids, entries, options.copies, nodes, page))
      throw problem(`${id} is left out in silence`);
  }
  for (const [id, attributes] of Object.entries(nodes)) {
    const node = graph.nodes.get(id);
    const type = id.slice(0, id.indexOf('-'));
    const view = node === undefined ? null : type === 'USER' ? node : { name: node.name };
    // An edge without copies that leads to the node may be one of those that are not read.
    const isCut = cut.size > 0 && copiedTargets(graph, options).has(id);
    const isCopied = isCut || whole.nodes.get(id)?.isCopied === true || reached.nodes.get(id)?.isCopied === true;
    const copy = node && { name: node.name };
    if (isCopied && JSON.stringify(attributes) === JSON.stringify(copy)) met.copied = true;
    else same(sorted(attributes as object | null), sorted(view), `the node ${id}`);
  }
  const places = { items: page.items, isShown: (id: string) => id in nodes, isCut: (id: string) => cut.has(id) };
  const { ofSets, hasQueried } = comparePlaces(graph, places, askedLevels(entries));
  if (hasQueried) met.inbound = true;
  if ([...ofSets].some((id) => own?.has(id))) met.ownInEvicted = true;
  // A level costs a BatchGetItem, whatever the number of nodes above it.
  const isOfSets = !asksQueries(askedLevels(entries)) && !met.evicted && own === undefined;
  const most = 2 + depthOf(entries);
  if (isOfSets && page.calls > most) throw problem(`${page.calls} calls instead of ${most} at most`);
}

/** Nodes that a bounded page neither shows nor names, next to what it shows. */
function silent(
  graph: DrawnGraph,
  ids: readonly string[],
  entries: Parameters<typeof walkLevels>[2],
  copies: boolean,
  nodes: object,
  page: PageResult,
): string[] {
  const met = new Set<string>();
  const cut = new Set(page.truncated?.edgesOf);
  const isOpen = (id: string): boolean => {
    met.add(id);
    return id in nodes;
  };
  // Of a node whose edges were not read it is not known who is next to it.
  walkLevels(graph, ids, entries, copies, isOpen, (id) => cut.has(id));
  const named = new Set([...Object.keys(nodes), ...(page.truncated?.ids ?? [])]);
  return [...met].filter((id) => !named.has(id));
}

function sorted(value: object | null): unknown {
  return value && Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
}

function asksQueries(levels: readonly Asked[]): boolean {
  return levels.some((level) => level.isQueried || asksQueries(level.with));
}

function depthOf(entries: Parameters<typeof walkLevels>[2]): number {
  const below = (entry: unknown): number =>
    1 + Math.max(0, ...((Object(entry) as { with?: unknown[] }).with ?? []).map(below));
  return entries === undefined ? 1 : Math.max(0, ...entries.map(below));
}
