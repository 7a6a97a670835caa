import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import type { InboundQuery } from '../../../src/client/read/lists/inbound-query.ts';
import { resolveSearch } from '../../../src/client/read/lists/search-list.ts';
import type { SearchPredicate } from '../../../src/client/read/lists/search-query.ts';
import { findSearch } from '../../../src/client/read/request/lookup.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { countText, figureText } from '../../../src/foundation/figure.ts';
import { projectionsOfModel } from '../../../src/registry/projections-in-force.ts';
import { ForwardingStore, type StoreCallName } from '../../../src/store/forwarding.ts';
import { spentBy } from '../../../src/store/spent.ts';

/** A command that reads more units than this prints the price on stderr. */
const UNITS_WITHOUT_A_WORD = 100;

/** Minimum read units of a Query of one shard, or of a node. Most reads are eventually consistent. */
const LEAST_RCU = 0.5;

export interface LeastRead {
  shards?: number | undefined;
  nodes?: number | undefined;
}

/** Warns once on stderr of reads that cost more than 100 units: in advance if the cost is known, otherwise once they are spent. */
export class PricedStore extends ForwardingStore {
  private rcu = 0;
  private isSaid = false;

  constructor(
    inner: Store,
    private readonly write: (text: string) => unknown = (text) => process.stderr.write(text),
  ) {
    super(inner);
  }

  announce({ shards = 0, nodes = 0 }: LeastRead): void {
    const units = LEAST_RCU * (shards + nodes);
    if (units <= UNITS_WITHOUT_A_WORD) return;
    const parts = [
      ...(shards > 0 ? [countText(shards, 'shard')] : []),
      ...(nodes > 0 ? [`up to ${countText(nodes, 'node')}`] : []),
    ];
    this.say(`This reads ${parts.join(' and ')}: about ${figureText(units)} RCU or more. Ctrl-C stops it.`);
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    // Reported midway, because the total isn't known before the end.
    if (this.rcu > UNITS_WITHOUT_A_WORD)
      this.say(`This has read ${figureText(Math.round(this.rcu))} RCU, and goes on. Ctrl-C stops it.`);
    const count = async (): Promise<object> => {
      const result = await super.pass(name, ...args);
      this.rcu += spentBy(result).rcu ?? 0;
      return result;
    };
    return count() as ReturnType<Store[Name]>;
  }

  private say(line: string): void {
    if (!this.isSaid) this.write(`${line}\n`);
    this.isSaid = true;
  }
}

export function shardsOfSearch(
  graph: CompiledModel,
  name: string,
  predicate: SearchPredicate,
  partition?: string,
): number {
  const context = { graph, projections: projectionsOfModel(graph) };
  return resolveSearch(context, findSearch(graph, name), predicate, { partition }).list.partitions.length;
}

export function shardsOfList(graph: CompiledModel, target: string, type: string, query: InboundQuery): number {
  return resolveInboundQuery({ graph, projections: projectionsOfModel(graph) }, target, type, query).list.partitions
    .length;
}
