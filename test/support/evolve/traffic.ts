import type { DemoData } from '../../../packages/workbench/demo/data.ts';
import { airportId } from '../../../packages/workbench/demo/expected.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { textOfKey } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import type { BaseKey, History } from './history.ts';
import { laterModel, trafficOf } from './models.ts';

/** The airports with the most routes, and the routes between them. */
export function busiestAirports({ airports, routes }: DemoData, count: number): DemoData {
  const degrees = new Map<string, number>();
  for (const { origin, destination } of routes) {
    for (const iata of [origin, destination]) degrees.set(iata, (degrees.get(iata) ?? 0) + 1);
  }
  const order = [...airports].sort((left, right) => (degrees.get(right.iata) ?? 0) - (degrees.get(left.iata) ?? 0));
  const chosen = order.slice(0, count);
  const names = new Set(chosen.map(({ iata }) => iata));
  return {
    airports: chosen,
    routes: routes.filter(({ origin, destination }) => names.has(origin) && names.has(destination)),
  };
}

function routeKey(origin: string, destination: string): BaseKey {
  return { source: airportId(origin), target: `ROUTE-${airportId(destination)}` };
}

function nodeKey(iata: string): BaseKey {
  return { source: airportId(iata), target: airportId(iata) };
}

/** Puts all airports and routes, each noted in the history. */
export async function importAll(store: Store, { airports, routes }: DemoData, history: History): Promise<void> {
  const entries = [
    ...airports.map(({ iata, name, city, state }) => ({ key: nodeKey(iata), attributes: { name, city, state } })),
    ...routes.map(({ origin, destination, count }) => ({
      key: routeKey(origin, destination),
      attributes: { flights: count, traffic: trafficOf(count) },
    })),
  ];
  const notedWrites = function* () {
    for (const { key, attributes } of entries) {
      const change = history.beginWrite(key, attributes);
      const values = { ...attributes, change };
      if (key.source === key.target) yield { node: key.source, attributes: values };
      else yield { edge: key, attributes: values };
    }
  };
  const writer = createWriter(laterModel, { store });
  const all = [...notedWrites()];
  const step = 500;
  for (let from = 0; from < all.length; from += step) {
    await writer.batch((batch) => {
      for (const entry of all.slice(from, from + step)) {
        if (entry.node !== undefined) batch.putNode(entry.node as `AIRPORT-${string}`, entry.attributes);
        else {
          const { source, target } = entry.edge;
          batch.putEdge(source as `AIRPORT-${string}`, 'ROUTE', idOf(target), entry.attributes);
        }
      }
    });
  }
}

function idOf(target: string): `AIRPORT-${string}` {
  return target.slice('ROUTE-'.length) as `AIRPORT-${string}`;
}

/** Keys that are being written: two writes of one item may come in any order. */
export type BusyKeys = Set<string>;

/** A producer of one model: changes flights, takes routes away and brings them back, renames and moves airports. */
export class Producer {
  writes = 0;
  private readonly writer;

  constructor(
    graph: CompiledModel,
    store: Store,
    private readonly data: DemoData,
    private readonly history: History,
    private readonly busy: BusyKeys,
  ) {
    this.writer = createWriter(graph, { store });
  }

  /** Writes at most `perSecond` times a second, until `isOver` returns true. A write of a key that is being written is left out. */
  async run(perSecond: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.writeOnce();
      await sleep(1000 / perSecond);
    }
  }

  private async writeOnce(): Promise<void> {
    const isRoute = Math.random() < 0.7;
    const key = isRoute ? this.someRoute() : nodeKey(randomOf(this.data.airports).iata);
    const text = textOfKey(key);
    if (this.busy.has(text)) return;
    this.busy.add(text);
    try {
      if (isRoute) await this.changeRoute(key);
      else await this.changeAirport(key);
      this.writes += 1;
    } finally {
      this.busy.delete(text);
    }
  }

  private someRoute(): BaseKey {
    const { origin, destination } = randomOf(this.data.routes);
    return routeKey(origin, destination);
  }

  private async changeRoute(key: BaseKey): Promise<void> {
    const isThere = this.history.newestState(key) !== undefined;
    if (isThere && Math.random() < 0.2) {
      this.history.beginWrite(key, undefined);
      await this.writer.deleteEdge(key.source, 'ROUTE', idOf(key.target));
      return;
    }
    const flights = Math.floor(Math.random() * 3_000);
    const attributes = { flights, traffic: trafficOf(flights) };
    const change = this.history.beginWrite(key, attributes);
    await this.writer.putEdge(key.source, 'ROUTE', idOf(key.target), { ...attributes, change });
  }

  private async changeAirport(key: BaseKey): Promise<void> {
    const present = this.history.newestState(key)!;
    const isRenamed = Math.random() < 0.5;
    const changed = isRenamed
      ? { name: toggleEnding(String(present['name']), ' International') }
      : { city: toggleEnding(String(present['city']), ' Heights') };
    const attributes = { ...present, ...changed };
    const change = this.history.beginWrite(key, attributes);
    await this.writer.putNode(key.source, { ...attributes, change });
  }
}

/** A text with an ending, or without it where it has it. */
function toggleEnding(text: string, ending: string): string {
  return text.endsWith(ending) ? text.slice(0, -ending.length) : text + ending;
}

/** One of some values, drawn at random. */
export function randomOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}
