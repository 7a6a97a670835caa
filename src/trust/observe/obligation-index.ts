import type { Item } from '../../core/items/attribute-value.ts';
import { textOfKey } from '../../core/items/keys.ts';
import type { Suspect } from '../../core/kinds/part.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { itemOfSuspect, nameOfSpread, nameOfSuspect, type Spread, type Touch } from './obligation.ts';
import { basesOf, fanOutTo } from './obligation-images.ts';
import { driftOf, type Obligation, type OpenSpread } from './obligation-states.ts';

/** The obligations at an item. It exists as long as there is one. */
export interface AtItem {
  /** The newest image; undefined: no record of the item was received since an obligation needs it. */
  image: { item: Item | undefined } | undefined;
  /** The parts that images of the item judge. */
  judged: Set<Obligation>;
  /** The parts of the item that are known drift. */
  drifting: Set<Obligation>;
}

/** The open obligations by name and by item, and the memory of closed ones. It knows no rule. */
export class ObligationIndex {
  /** The open parts by their names, the oldest first. */
  readonly parts = new Map<string, Obligation>();
  /** The open fan-outs by their names. */
  readonly spreads = new Map<string, OpenSpread>();
  /** When the newest record was made that touched a part, by its name, also if the part was closed since. */
  readonly newest = new Map<string, number>();
  private readonly items = new Map<string, AtItem>();
  /** The oldest touch of each shard of parts that images have closed, by the time of the newest touch of each part. */
  private readonly closed = new Map<number, Map<string, Touch>>();
  /** Up to when old touches were forgotten. */
  private forgottenMs = 0;

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

  /** The obligations at an item. */
  at(key: ItemKey): AtItem | undefined {
    return this.items.get(textOfKey(key));
  }

  /** Notes that images of these items judge a part. */
  addJudged(part: Obligation, keys: readonly ItemKey[]): void {
    for (const key of keys) this.itemNamed(textOfKey(key)).judged.add(part);
  }

  /** Notes that images judge a part no more. */
  removeJudged(part: Obligation): void {
    for (const name of [itemOfSuspect(part.suspect), ...basesOf(part.suspect).map(textOfKey)]) {
      const at = this.items.get(name);
      if (at?.judged.delete(part) !== true) continue;
      // An image that nobody needs is not kept, and records of the item are not noticed until another part needs one.
      if (at.judged.size === 0) at.image = undefined;
      this.prune(name, at);
    }
  }

  /** Tells whether an image is known that judges a part. */
  hasImageFor(part: Obligation): boolean {
    const names = [itemOfSuspect(part.suspect), ...basesOf(part.suspect).map(textOfKey)];
    return names.some((name) => {
      const at = this.items.get(name);
      return at?.image !== undefined && at.judged.has(part);
    });
  }

  /** Notes that a part is known drift, or is it no more. */
  indexDrift(part: Obligation): void {
    const name = itemOfSuspect(part.suspect);
    if (driftOf(part) !== undefined) {
      this.itemNamed(name).drifting.add(part);
      return;
    }
    const at = this.items.get(name);
    if (at?.drifting.delete(part) === true) this.prune(name, at);
  }

  /** Notes that images have closed a part. */
  noteClosedByImages(part: Obligation): void {
    const newestMs = this.newestMsOf(part);
    const closed = this.closed.get(newestMs) ?? new Map<string, Touch>();
    for (const touch of part.touches) {
      const known = closed.get(touch.shardId);
      if (known === undefined || touch.receipt < known.receipt) closed.set(touch.shardId, touch);
    }
    this.closed.set(newestMs, closed);
  }

  /** Yields the touches of parts that images have closed. */
  *closedTouches(): Generator<Touch> {
    for (const touches of this.closed.values()) yield* touches.values();
  }

  /** Forgets the touches of closed parts whose newest record was made before a time. */
  forgetClosedTouches(beforeMs: number): void {
    for (const newestMs of this.closed.keys()) if (newestMs < beforeMs) this.closed.delete(newestMs);
  }

  /**
   * Forgets when closed parts were touched, if that is more than twice the margin before a time. A closed part may be found wrong again by
   * an older look: its newest touch has to be known until then.
   */
  forgetNewest(oldMs: number, marginMs: number): void {
    // Each time all of them are looked through.
    if (oldMs - this.forgottenMs < marginMs / 4) return;
    this.forgottenMs = oldMs;
    for (const [name, stampMs] of this.newest) {
      if (stampMs + 2 * marginMs < oldMs && !this.parts.has(name)) this.newest.delete(name);
    }
  }

  private itemNamed(name: string): AtItem {
    let at = this.items.get(name);
    if (at === undefined) {
      at = { image: undefined, judged: new Set(), drifting: new Set() };
      this.items.set(name, at);
    }
    return at;
  }

  private prune(name: string, { judged, drifting }: AtItem): void {
    if (judged.size === 0 && drifting.size === 0) this.items.delete(name);
  }
}
