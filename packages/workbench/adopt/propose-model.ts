import { classifyBaseItem } from '../../../src/core/model/base-item.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, part } from '../../../src/core/model/schema.ts';
import type { TableOptions } from '../../../src/core/model/table-options.ts';
import { ModelError } from '../../../src/foundation/errors.ts';
import { madeEdges, nameIds } from './id-attributes.ts';
import { type PartitionForm, partitionForms } from './partition-forms.ts';
import type { ProposedEdge, ProposedNode } from './proposed-types.ts';
import { marksOfGroup, type SampledItem } from './sampled-item.ts';
import { type SortKeyForm, sortKeyForms, stemsOf } from './sort-key-forms.ts';
import { grouped, tally, typeNameOf, UniqueNames, wordsOf } from './texts.ts';

/** Proposes a model for a table whose items other software writes, from a sample of them. Nothing here reads or writes. */

/** Items that the proposed model does not place. */
export interface LeftOut {
  items: number;
  /** Keys of the first one. */
  example: { source: string; target: string };
  reason: string;
}

/** A proposed model. It compiles, unless it has no node type. */
export interface Proposal {
  table: TableOptions;
  nodes: ReadonlyMap<string, ProposedNode>;
  edges: ReadonlyMap<string, ProposedEdge>;
  /** Items that the compiled model does not place; the reasons with most items first. */
  leftOut: readonly LeftOut[];
}

/** Facts of a table besides its items. */
export interface TableFacts {
  options: TableOptions;
  /** The key attributes of its indexes: they hold keys, and no ids. */
  keyAttributes: ReadonlySet<string>;
}

/** The most node types, and edge types, of a proposal: nobody edits more. */
const MOST_TYPES = 200;
/** Words that the sort keys of nodes often are. */
const NODE_WORDS: ReadonlySet<string> = new Set([
  'META',
  'METADATA',
  'PROFILE',
  'INFO',
  'DETAILS',
  'DATA',
  'ROOT',
  'SELF',
  'A',
]);
/** The form of a part's name. */
const PART_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Proposes a model for a sample of a table. */
export function proposeModel(items: readonly SampledItem[], facts: TableFacts): Proposal {
  return new Inference(items, facts).propose();
}

type EdgeForm = Extract<SortKeyForm, { kind: 'edge' }> & { from: string };

const BRACES = 'a template has no braces but those of its places';

const WITHOUT_TEXT = 'the partition key has no text before an id: a type for it would take the keys of all types';

class Inference {
  private readonly names = new UniqueNames();
  private readonly nodes = new Map<string, ProposedNode>();
  private readonly edges = new Map<string, ProposedEdge>();
  /** The items that a type was made from. */
  private readonly itemsOf = new Map<string, readonly SampledItem[]>();
  /** Why an item is not placed. */
  private readonly reasons = new Map<SampledItem, string>();
  private readonly typeOf = new Map<PartitionForm, string>();
  private readonly forms: readonly PartitionForm[];

  constructor(
    private readonly items: readonly SampledItem[],
    private readonly facts: TableFacts,
  ) {
    const all = partitionForms(items, facts.keyAttributes);
    const isTemplate = ({ before, after }: PartitionForm): boolean => !hasBrace(before) && !hasBrace(after);
    for (const one of all) if (!isTemplate(one)) this.leaveOut(one.items, BRACES);
    const possible = all.filter(isTemplate).filter((form, i) => i === 0 || !isWithoutText(form));
    for (const form of all.slice(1)) if (isWithoutText(form)) this.leaveOut(form.items, WITHOUT_TEXT);
    this.forms = possible.slice(0, MOST_TYPES);
    for (const { items: own } of possible.slice(MOST_TYPES)) {
      this.leaveOut(own, `only the ${MOST_TYPES} beginnings of partition keys with most items are proposed`);
    }
  }

  propose(): Proposal {
    const stems = stemsOf(this.forms);
    const found = this.forms.map((form) => ({ form, sortKeys: sortKeyForms(form, this.forms, stems) }));
    for (const { form, sortKeys } of found) this.addNode(form, sortKeys);
    const ofEdges = found.flatMap(({ form, sortKeys }) => {
      const from = this.typeOf.get(form)!;
      return sortKeys.flatMap((one): EdgeForm[] => (one.kind === 'edge' ? [{ ...one, from }] : []));
    });
    const byType = grouped(ofEdges, ({ items: [first], before, to, from }) => {
      const mark = first?.mark;
      return JSON.stringify([mark, before, this.typeOf.get(to), mark === undefined ? from : '']);
    });
    const size = (own: readonly EdgeForm[]): number => own.reduce((sum, { items }) => sum + items.length, 0);
    for (const own of [...byType.values()].sort((a, b) => size(b) - size(a))) this.addEdge(own);
    const { nodes, edges, itemsOf } = this;
    const formOf = new Map([...this.typeOf].map(([form, type]) => [type, form]));
    const types = { nodes, edges, itemsOf, formOf, keyAttributes: this.facts.keyAttributes };
    nameIds(types);
    for (const { name, edge: made } of madeEdges(types).slice(0, Math.max(0, MOST_TYPES - edges.size)))
      edges.set(this.names.take(name), made);
    return this.compiled();
  }

  /** Proposes the node type of a form of partitions. */
  private addNode(form: PartitionForm, sortKeys: readonly SortKeyForm[]): void {
    const candidates = sortKeys.filter((one) => one.kind === 'node');
    const [chosen, ...others] = candidates.sort((a, b) => preference(form, b) - preference(form, a));
    const items = chosen?.items ?? [];
    const type = this.names.take(typeNameOf(items[0]?.mark?.value ?? wordOf(form, chosen?.target)));
    this.typeOf.set(form, type);
    const isPart = ({ target, items: [first] }: (typeof others)[number]): boolean =>
      PART_NAME.test(target) && first?.mark === undefined;
    for (const one of others) {
      const reason = `a partition is of one node, here a ${type}; an item beside it is an edge or a part (a part's sort key is its name)`;
      if (!isPart(one)) this.leaveOut(one.items, reason);
    }
    for (const one of sortKeys) if (one.kind === 'other') this.leaveOut(one.items, one.reason);
    const where = marksOfGroup(items);
    this.itemsOf.set(type, items);
    this.nodes.set(type, {
      key: {
        source: `${form.before}{id}${form.after}`,
        target: chosen?.target ?? 'META',
        ...(where && { where }),
        ...(form.letters !== 'any' && { case: form.letters }),
      },
      parts: [...new Set(others.filter(isPart).map(({ target }) => target))],
      ...{ items: items.length, attributes: attributesOf(items), unsure: doubtsOf(form, chosen === undefined) },
    });
  }

  /** Proposes an edge type for items of one type, or of the same keys. */
  private addEdge(own: readonly EdgeForm[]): void {
    const [
      {
        before,
        to,
        isGuess,
        items: [first],
      },
    ] = own as [EdgeForm];
    const items = own.flatMap((one) => one.items);
    const from = [...new Set(own.map((one) => one.from))];
    const target = this.typeOf.get(to)!;
    const refusal = hasBrace(before)
      ? BRACES
      : this.edges.size >= MOST_TYPES
        ? `only the ${MOST_TYPES} edge types with most items are proposed`
        : undefined;
    if (refusal !== undefined) {
      this.leaveOut(items, refusal);
      return;
    }
    const words = wordsOf(isGuess || !before.endsWith(to.before) ? before : before.slice(0, -to.before.length));
    const plain = typeNameOf(words.join('_'));
    const isNamed = words.length > 0 && plain !== target;
    const type = this.names.take(typeNameOf(first?.mark?.value ?? (isNamed ? plain : `${from[0]}_${target}`)));
    const known = own.reduce((sum, one) => sum + one.known, 0);
    const unsure: string[] = [];
    if (isGuess)
      unsure.push(`only its targets say that it enters ${target}: ${known} of ${items.length} are ids of the sample`);
    else if (known === 0) unsure.push(`none of its ${items.length} targets is a node of the sample`);
    const where = marksOfGroup(items);
    this.itemsOf.set(type, items);
    this.edges.set(type, {
      ...{ from, to: target, key: { target: `${before}{to}`, ...(where && { where }) } },
      ...{ items: items.length, attributes: attributesOf(items), unsure },
    });
  }

  /** The proposal without the types that a model cannot have. */
  private compiled(): Proposal {
    const { nodes, edges } = this;
    const table = this.facts.options;
    while (nodes.size > 0) {
      try {
        const graph = defineGraph(graphInput({ table, nodes, edges }));
        return { table, nodes, edges, leftOut: this.unplaced((item) => placeIn(graph, item)) };
      } catch (error) {
        if (!(error instanceof ModelError) || !this.dropMistaken(error)) throw error;
      }
    }
    return { table, nodes, edges, leftOut: this.unplaced(() => 'no node type fits') };
  }

  /** Takes out the type, or the part, of the first mistake; false where it is of neither. */
  private dropMistaken({ mistakes: [first] }: ModelError): boolean {
    const [kind, type = '', option, name] = first!.path.split('.');
    const reason = `${type}: ${first!.message}`;
    if (kind === 'edges' && this.edges.delete(type)) {
      this.leaveOut(this.itemsOf.get(type) ?? [], reason);
      return true;
    }
    const found = kind === 'nodes' ? this.nodes.get(type) : undefined;
    if (found === undefined) return false;
    if (option === 'parts' && found.parts.includes(name ?? '')) {
      found.parts = found.parts.filter((one) => one !== name);
      return true;
    }
    this.nodes.delete(type);
    this.leaveOut(this.itemsOf.get(type) ?? [], reason);
    for (const [edgeType, { from, to }] of this.edges) {
      const left = from.filter((one) => one !== type);
      if (to === type || left.length === 0) {
        this.edges.delete(edgeType);
        this.leaveOut(this.itemsOf.get(edgeType) ?? [], reason);
      } else this.edges.get(edgeType)!.from = left;
    }
    return true;
  }

  private leaveOut(items: readonly SampledItem[], reason: string): void {
    for (const item of items) this.reasons.set(item, reason);
  }

  /** The items that have no place, by the reason that the inference had, or that the model has. */
  private unplaced(reasonIn: (item: SampledItem) => string | undefined): LeftOut[] {
    const groups = new Map<string, LeftOut>();
    for (const item of this.items) {
      const known = reasonIn(item);
      if (known === undefined) continue;
      const reason = this.reasons.get(item) ?? known;
      const { source, target } = item;
      const group = groups.get(reason) ?? { items: 0, example: { source, target }, reason };
      group.items += 1;
      groups.set(reason, group);
    }
    return [...groups.values()].sort((a, b) => b.items - a.items || (a.reason < b.reason ? -1 : 1));
  }
}

/** A proposal as the input of `defineGraph`. */
export function graphInput({ table, nodes, edges }: Pick<Proposal, 'table' | 'nodes' | 'edges'>) {
  const ofNodes = [...nodes].map(([type, { key, parts }]) => {
    const ofParts = Object.fromEntries(parts.map((name) => [name, part({})]));
    return [type, node({ key, ...(parts.length > 0 && { parts: ofParts }) })] as const;
  });
  const ofEdges = [...edges].map(([type, { from, to, key }]) => [type, edge({ from, to, key })] as const);
  return { table, nodes: Object.fromEntries(ofNodes), edges: Object.fromEntries(ofEdges) };
}

/** Why a model does not place an item; undefined where it does. */
function placeIn(graph: CompiledModel, { source, target, item }: SampledItem): string | undefined {
  const key = graph.table.rawKeys!.fromRaw({ source, target }, item);
  const found = classifyBaseItem(graph, key.source, key.target, item);
  if (found.kind === 'unknown') return 'no type of the proposal has such keys';
  return found.kind === 'misfit' ? found.reason : undefined;
}

/** How likely the items of a form are the nodes of their partitions. */
function preference(form: PartitionForm, { target, items }: Extract<SortKeyForm, { kind: 'node' }>): number {
  const coverage = new Set(items.map(({ source }) => source)).size / form.ids.size;
  const [word = ''] = wordsOf(target).map((one) => one.toUpperCase());
  const [own = ''] = wordsOf(form.before)
    .slice(-1)
    .map((one) => one.toUpperCase());
  const isLikely = NODE_WORDS.has(word) || word === own || target.includes('{id}') || word === own.replace(/ID$/, '');
  return coverage + (isLikely ? 1 : 0);
}

/** The word that names the nodes of a form of partitions. */
function wordOf(form: PartitionForm, target: string | undefined): string {
  const word = wordsOf(form.before).at(-1);
  if (word === undefined) return wordsOf(target ?? '')[0] ?? 'NODE';
  return form.isElectroDb ? word.replace(/id$/, '') || word : word;
}

function doubtsOf({ ids, before }: PartitionForm, isWithoutNode: boolean): string[] {
  return [
    ...(isWithoutNode ? ['no item of the sample is such a node: its sort key is a guess'] : []),
    ...(ids.size === 1 ? ['the sample has one such partition key: what is before the id is a guess'] : []),
    ...(before === '' ? ['the partition keys have no text before the id: any key fits'] : []),
  ];
}

function attributesOf(items: readonly SampledItem[]): Map<string, number> {
  return new Map([...tally(items.flatMap(({ names }) => names))].sort(([, a], [, b]) => b - a));
}

/** Whether any partition key fits a form. If another form has more items, this one is that of single items, such as `CONFIG`. */
function isWithoutText({ before, after }: PartitionForm): boolean {
  return before === '' && after === '';
}

function hasBrace(text: string): boolean {
  return text.includes('{') || text.includes('}');
}
