import { textOfKey } from '../../core/items/keys.ts';
import type { Suspect } from '../../core/kinds/part.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { itemOfSuspect, nameOfSpread, nameOfSuspect, type Spread } from './obligation.ts';
import { fanOutTo } from './obligation-parts.ts';
import { driftOf, type Obligation, type OpenSpread } from './obligation-states.ts';

/** The open obligations by name and by item, and the memory of closed ones. It knows no rule. */
export class ObligationIndex {
  /** The open parts by their names, the oldest first. */
  readonly parts = new Map<string, Obligation>();
  /** The open fan-outs by their names. */
  readonly spreads = new Map<string, OpenSpread>();
  /** When the newest record was made that touched an open part, by its name. */
  readonly newest = new Map<string, number>();
  /** The parts that are known drift, by their items. */
  private readonly drifting = new Map<string, Set<Obligation>>();

  /** The open part of a suspect. */
  partOf(suspect: Suspect): Obligation | undefined {
    return this.parts.get(nameOfSuspect(suspect));
  }

  /** The open fan-out that may reach a part. */
  spreadReaching(suspect: Suspect): OpenSpread | undefined {
    if (this.spreads.size === 0) return undefined;
    const spread = fanOutTo(suspect);
    return spread && this.spreads.get(nameOfSpread(spread));
  }

  /** The open fan-out of a spread. */
  spreadOf(spread: Spread): OpenSpread | undefined {
    return this.spreads.get(nameOfSpread(spread));
  }

  /** When the newest record was made that touched a part; 0: none is known. */
  newestMsOf({ name }: Pick<Obligation, 'name'>): number {
    return this.newest.get(name) ?? 0;
  }

  /** The parts of an item that are known drift. */
  driftAt(key: ItemKey): Iterable<Obligation> {
    return this.drifting.get(textOfKey(key)) ?? [];
  }

  /** Notes that a part is known drift, or is it no more. */
  indexDrift(part: Obligation): void {
    const name = itemOfSuspect(part.suspect);
    const ofItem = this.drifting.get(name) ?? new Set();
    if (driftOf(part) === undefined) ofItem.delete(part);
    else ofItem.add(part);
    if (ofItem.size === 0) this.drifting.delete(name);
    else this.drifting.set(name, ofItem);
  }
}
