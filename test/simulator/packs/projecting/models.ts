import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { date, derive, edge, node, part, rank, source, sum } from '../../../../src/core/model/schema.ts';
import { inboundOption } from '../../../support/inbound-option.ts';
import type { Choices } from '../../kernel/choices.ts';

/** What differs between the small models that schedules run on. The oracle reads the same options. */
export interface ModelOptions {
  /** What views show of a GOAL. */
  view: 'title' | 'KEYS_ONLY' | 'ALL';
  /** Labels of a MEMBER in the edge set: the role; none; the role and a computed mark. */
  labels: 'role' | 'none' | 'computed';
  /** Orders of a MEMBER's index item: none; by rank; by rank and date, the role copied. */
  inbound: 'none' | 'rank' | 'rank-date';
  /** How a GOAL is searched: by its name (one value), by its tags (one item for each). */
  search: 'none' | 'name' | 'tags' | 'name-tags';
  /** `title`: a GOAL that is searched by its name is searched by its title, too, and the two searches share an item. */
  packed: 'none' | 'title';
  /** Whether LINK, an edge type without labels, is in the edge set; if not, it is in an index. */
  link: 'listed' | 'unlisted';
  /** How large a view may get: tight is too small for a LEAD, whose computed mark is long. */
  budget: 'ample' | 'tight';
  /** Which edges are counted. */
  counted: 'none' | 'MEMBER' | 'LINK' | 'both';
  /** Orders of a MEMBER beyond the indexes, each an index item of its own: none; by date. */
  named: 'none' | 'date';
  /** Whether a GOAL is in the index partitions of the PARTs that enter it; no PART is ever written. */
  owner: 'none' | 'included';
  /** How the edges' sort keys are made. */
  keys: 'plain' | 'hashed';
  /** What a MEMBER with plain keys copies of its USER. */
  copies: 'none' | 'name';
  /** Whether there is PEER, from a GOAL to a GOAL, itself among them: in the edge set; counted; with a copy of the title. */
  peer: 'none' | 'listed' | 'counted' | 'copied';
  /**
   * What index items use of the edges' source, a GOAL: nothing; of a MEMBER its name, beside the date, the title copied; of a
   * LINK its name, in an order by name, and its title in the partition; both.
   */
  joined: 'none' | 'MEMBER' | 'LINK' | 'both';
  /** Whether there is WORK, from a GOAL to a USER, with sums and groups: over the edges that enter; that leave; both. */
  totals: 'none' | 'inbound' | 'outgoing' | 'both';
  /**
   * Whether a GOAL has the part STATE, whose view shows the status, and which it is searched by; `ordering`: the status orders its
   * MEMBERs too.
   */
  parts: 'none' | 'shown' | 'ordering';
  /** Whether goals, users and their edges are soft-deleted, by the attribute `left`; then any item may also say that it is gone. */
  deletion: 'none' | 'soft';
}

/** The tight budget of a view, in bytes. */
export const TIGHT_BUDGET_BYTES = 1_024;
/** The computed label of a LEAD. */
export const MARK = 'first'.repeat(190);

const VIEWS = ['title', 'KEYS_ONLY', 'ALL'] as const;
const LABELS = ['role', 'none', 'computed'] as const;
const INBOUND = ['none', 'rank', 'rank-date'] as const;
const SEARCHES = ['none', 'name', 'tags', 'name-tags'] as const;
const LINKS = ['listed', 'unlisted'] as const;
const BUDGETS = ['ample', 'tight'] as const;
const COUNTED = ['none', 'MEMBER', 'LINK', 'both'] as const;
const NAMED = ['none', 'date'] as const;
const OWNERS = ['none', 'included'] as const;
const KEYS = ['plain', 'hashed'] as const;
const COPIES = ['none', 'name'] as const;
const JOINED = ['none', 'MEMBER', 'LINK', 'both'] as const;
const TOTALS = ['none', 'inbound', 'outgoing', 'both'] as const;
const PARTS = ['none', 'shown', 'ordering'] as const;
const PEERS = ['none', 'listed', 'counted', 'copied'] as const;

/** Chooses a model. */
export function chooseModel(choices: Choices): ModelOptions {
  const options = {
    view: VIEWS[choices.pick('model.view', VIEWS.length)]!,
    labels: LABELS[choices.pick('model.labels', LABELS.length)]!,
    inbound: INBOUND[choices.pick('model.inbound', INBOUND.length)]!,
    search: SEARCHES[choices.pick('model.search', SEARCHES.length)]!,
    link: LINKS[choices.pick('model.link', LINKS.length)]!,
    budget: BUDGETS[choices.pick('model.budget', BUDGETS.length)]!,
    counted: COUNTED[choices.pick('model.counted', COUNTED.length)]!,
    named: NAMED[choices.pick('model.named', NAMED.length)]!,
    owner: OWNERS[choices.pick('model.owner', OWNERS.length)]!,
    keys: KEYS[choices.pick('model.keys', KEYS.length)]!,
  };
  const copies = COPIES[choices.pick('model.copies', COPIES.length)]!;
  // Edges with hashed keys copy nothing.
  const peer = PEERS[choices.chance('model.peers', 0.5) ? choices.pick('model.peer', PEERS.length) : 0]!;
  const joined = JOINED[choices.chance('model.joins', 0.4) ? choices.pick('model.joined', JOINED.length) : 0]!;
  const totals = TOTALS[choices.chance('model.works', 0.35) ? choices.pick('model.totals', TOTALS.length) : 0]!;
  const parts = PARTS[choices.chance('model.parted', 0.3) ? choices.pick('model.parts', PARTS.length) : 0]!;
  const deletion = choices.chanceAside('model.deletes', 0.15) ? 'soft' : 'none';
  const packed = choices.pickAside('model.packs', 2) === 1 ? 'title' : 'none';
  return {
    ...options,
    packed,
    copies: options.keys === 'hashed' ? 'none' : copies,
    peer,
    joined,
    totals,
    parts,
    deletion,
  };
}

/** Whether index items of an edge type use its source. */
export function isJoined({ joined }: ModelOptions, type: 'MEMBER' | 'LINK'): boolean {
  return joined === type || joined === 'both';
}

/** Whether any edge copies something. */
export function hasCopies({ copies, peer }: ModelOptions): boolean {
  return copies !== 'none' || peer === 'copied';
}

/** The edge types that are counted. */
export function countedTypes({ counted, peer }: ModelOptions): string[] {
  const types = counted === 'both' ? ['MEMBER', 'LINK'] : counted === 'none' ? [] : [counted];
  return peer === 'counted' ? [...types, 'PEER'] : types;
}

const TOTALLED = { total: { hours: sum('hours') }, groupBy: ['kind'] } as const;

const graphs = new Map<string, CompiledModel>();

/** A model with one of each kind that edges and nodes usually have, for schedules that are written down. */
export const PLAIN_OPTIONS: ModelOptions = {
  view: 'title',
  labels: 'role',
  inbound: 'rank',
  search: 'none',
  packed: 'none',
  link: 'listed',
  budget: 'ample',
  counted: 'none',
  named: 'none',
  owner: 'none',
  keys: 'plain',
  copies: 'none',
  peer: 'none',
  joined: 'none',
  totals: 'none',
  parts: 'none',
  deletion: 'none',
};

/** The compiled model; each is compiled once. */
export function graphOf(options: ModelOptions): CompiledModel {
  const key = Object.values(options).join(' ');
  let graph = graphs.get(key);
  if (graph === undefined) {
    graph = compile(options);
    graphs.set(key, graph);
  }
  return graph;
}

function compile(options: ModelOptions): CompiledModel {
  const { view, labels, inbound, search, link, budget, counted, named, owner, keys, copies, peer, totals, parts } =
    options;
  const deletedWhen = options.deletion === 'soft' ? 'left' : undefined;
  const goal = node({
    deletedWhen,
    view: view === 'title' ? ['title'] : view,
    viewBudgetBytes: budget === 'tight' ? TIGHT_BUDGET_BYTES : undefined,
    search: {
      ...(search.includes('name') && {
        name: { shards: 1, project: ['title'] },
        ...(options.packed === 'title' && { title: { shards: 2, project: ['title'] } }),
      }),
      ...(search.includes('tags') && { tags: { multiValue: true } }),
    },
    ...(parts !== 'none' && {
      parts: { STATE: part({ view: ['status'], search: { status: { shards: 1 }, tags: { multiValue: true } } }) },
    }),
  });
  const byRank = rank('role', { LEAD: 500, TEAM: 300 });
  const orders = {
    none: undefined,
    rank: { gsi0: byRank },
    'rank-date': { gsi0: byRank, gsi1: date('date'), project: ['role'] },
  } as const;
  const byDate = named === 'date' && { byDate: date('date') };
  const joinsMember = isJoined(options, 'MEMBER');
  const byTitle = joinsMember && {
    byTitle: [source('title'), 'role'] as const,
    gsi1: source('name'),
    project: ['role'] as const,
    projectSource: ['title'] as const,
  };
  const byStatus = parts === 'ordering' && { byStatus: [source('STATE.status'), 'role'] as const };
  const hasOrders = inbound !== 'none' || named !== 'none' || joinsMember || parts === 'ordering';
  const memberOrders = hasOrders ? { ...orders[inbound], ...byDate, ...byTitle, ...byStatus } : undefined;
  const linkOrders = {
    ...(link === 'unlisted' && { gsi0: 'since' }),
    ...(isJoined(options, 'LINK') && { byName: ['since', source('name')], partition: source('title') }),
  };
  const mark = derive((attributes) => (attributes['role'] === 'LEAD' ? MARK : undefined));
  const edgeSets = { role: ['role'], none: [], computed: { is: 'role', mark } } as const;
  return defineGraph({
    table: 'records',
    nodes: { GOAL: goal, USER: node({ view: 'ALL', deletedWhen }) },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        deletedWhen,
        edgeSet: edgeSets[labels],
        inbound: memberOrders && inboundOption(withOwnItems(memberOrders)),
        degree: counted === 'MEMBER' || counted === 'both',
        keys,
        copy: copies === 'name' ? ['name'] : undefined,
      }),
      LINK: edge({
        from: 'GOAL',
        to: 'USER',
        deletedWhen,
        edgeSet: link === 'listed' ? [] : false,
        inbound: Object.keys(linkOrders).length === 0 ? undefined : inboundOption(withOwnItems(linkOrders)),
        degree: counted === 'LINK' || counted === 'both',
        keys,
      }),
      ...(peer !== 'none' && {
        PEER: edge({
          from: 'GOAL',
          to: 'GOAL',
          deletedWhen,
          degree: peer === 'counted',
          copy: peer === 'copied' ? ['title'] : undefined,
        }),
      }),
      ...(totals !== 'none' && {
        WORK: edge({
          from: 'GOAL',
          to: 'USER',
          deletedWhen,
          edgeSet: false,
          keys,
          inbound: totals === 'outgoing' ? undefined : TOTALLED,
          outgoing: totals === 'inbound' ? undefined : TOTALLED,
        }),
      }),
      ...(owner === 'included' && {
        PART: edge({
          from: 'GOAL',
          to: 'GOAL',
          inbound: { orders: { gsi0: 'since', ...byDate }, includeTarget: true },
        }),
      }),
    },
  });
}

/** Orders of which those with names of their own have items of their own, whatever is there beside them. */
function withOwnItems(orders: object): object {
  return 'gsi0' in orders || 'gsi1' in orders ? orders : { ...orders, gsi0: 'nothing' };
}
