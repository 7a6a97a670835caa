import { compareKeys } from '../../../src/core/items/encoding.ts';
import { foldText } from '../../../src/core/items/folding.ts';
import type { Airport, DemoData, Route } from './data.ts';

export interface RouteElement {
  type: 'ROUTE';
  target: string;
  count: number;
}

export function airportId(iata: string): `AIRPORT-${string}` {
  return `AIRPORT-${iata}`;
}

/** Computes what projections should say after the demo's changes, without the planner's code. */
export class ExpectedWorld {
  readonly airports = new Map<string, Airport>();
  private readonly counts = new Map<string, Map<string, number>>();

  constructor(data: DemoData) {
    for (const airport of data.airports) this.airports.set(airport.iata, airport);
    for (const route of data.routes) this.setRoute(route);
  }

  setRoute({ origin, destination, count }: Route): void {
    const from = this.counts.get(origin) ?? new Map<string, number>();
    from.set(destination, count);
    this.counts.set(origin, from);
  }

  deleteRoute(origin: string, destination: string): void {
    this.counts.get(origin)?.delete(destination);
  }

  /** Sorted by destination. */
  edgeSet(iata: string): RouteElement[] {
    const elements = [...(this.counts.get(iata) ?? [])].map(
      ([destination, count]): RouteElement => ({ type: 'ROUTE', target: airportId(destination), count }),
    );
    return elements.sort((left, right) => compareKeys(left.target, right.target));
  }

  /** Busiest first. Ties sort by origin, descending, because the index is read backwards. */
  inbound(iata: string): Route[] {
    const routes: Route[] = [];
    for (const [origin, destinations] of this.counts) {
      const count = destinations.get(iata);
      if (count !== undefined) routes.push({ origin, destination: iata, count });
    }
    return routes.sort(
      (left, right) => right.count - left.count || compareKeys(airportId(right.origin), airportId(left.origin)),
    );
  }

  /** Sorted by state, city, name and id. */
  airportsAt(country: string, path: readonly string[]): Airport[] {
    const placeOf = ({ state, city, name, iata }: Airport): string[] => [state, city, name, airportId(iata)];
    return [...this.airports.values()]
      .filter((airport) => airport.country === country && path.every((segment, i) => placeOf(airport)[i] === segment))
      .sort((left, right) => {
        const others = placeOf(right);
        return placeOf(left).reduce((order, segment, i) => order || compareKeys(segment, others[i]!), 0);
      });
  }

  /** Sorted by folded name, then by id. */
  airportsNamed(prefix: string): Airport[] {
    const foldedName = (name: string): string => foldText(name);
    return [...this.airports.values()]
      .filter(({ name }) => foldedName(name).startsWith(foldedName(prefix)))
      .sort(
        (left, right) =>
          compareKeys(foldedName(left.name), foldedName(right.name)) ||
          compareKeys(airportId(left.iata), airportId(right.iata)),
      );
  }
}
