import { VIEW_KEY } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { partKindOf } from '../repair/kinds.ts';
import type { ItemKey } from '../store/port.ts';
import type { Confirmed } from './confirm.ts';
import type { Finding, Verdict } from './finding.ts';

/** How many differing parts of one derived item a finding spells out. */
const MOST_PARTS = 20;

/** What was confirmed of one derived item: one verdict, however many parts of it differ. */
export class DerivedItemVerdict {
  private readonly parts: Confirmed[] = [];
  private more = 0;
  private isWanted = false;
  private isLive = false;
  private isPending = true;
  private hasDifference = false;
  private isMaintenance = true;

  constructor(
    private readonly graph: CompiledModel,
    private readonly source: string,
    private readonly sortKey: string,
  ) {}

  /** Adds a part that differs: drift or pending. */
  add(confirmed: Confirmed): void {
    const { observation, outcome, suspect } = confirmed;
    if (observation.isLive) this.isLive = true;
    const kind = partKindOf(suspect.part);
    if (outcome === 'drift') {
      this.isPending = false;
      if (kind.isMaintenance?.(this.graph, suspect.part) !== true) this.isMaintenance = false;
    }
    if (kind.isContent) {
      this.hasDifference = true;
      if (observation.wanted !== null) this.isWanted = true;
    }
    if (this.parts.length < MOST_PARTS) this.parts.push(confirmed);
    else this.more += 1;
  }

  /** @param wantsOther whether base items want other parts of the derived item than those that differ. */
  finding(wantsOther: boolean): Finding {
    return {
      source: this.source,
      target: this.sortKey,
      verdict: this.verdict(wantsOther),
      expected: this.text(({ observation }) => observation.wanted),
      actual: this.text(({ observation }) => observation.stored),
    };
  }

  private verdict(wantsOther: boolean): Verdict {
    if (this.isPending) return 'pending';
    if (this.isMaintenance) return 'maintenance';
    if (!this.hasDifference) return 'stale';
    if (!this.isLive && this.isWanted) return 'missing';
    return this.isWanted || wantsOther ? 'stale' : 'orphan';
  }

  private text(pick: (confirmed: Confirmed) => string | null): string | null {
    const texts = this.parts.map(pick).filter((text) => text !== null);
    if (texts.length === 0) return null;
    return texts.join('; ') + (this.more > 0 ? `; and ${this.more} more parts` : '');
  }
}

/** What was found, by derived item. */
export class Findings {
  /** What looks of two calls have come to; nothing of it is found until all of the partition is judged. */
  readonly looked: Confirmed[][] = [];
  /** Names of the derived items that were mended. */
  readonly mended = new Set<string>();
  private readonly verdicts = new Map<string, { sortKey: string; verdict: DerivedItemVerdict }>();

  constructor(private readonly graph: CompiledModel) {}

  add(confirmed: Confirmed): void {
    const { source, sortKey } = confirmed.suspect;
    const name = nameOf({ source, target: sortKey });
    let found = this.verdicts.get(name);
    if (found === undefined) {
      found = { sortKey, verdict: new DerivedItemVerdict(this.graph, source, sortKey) };
      this.verdicts.set(name, found);
    }
    found.verdict.add(confirmed);
  }

  /** Forgets what was found of an item that will be looked at again. */
  drop(item: ItemKey): void {
    this.verdicts.delete(nameOf(item));
  }

  *all(wantsView: boolean): Generator<Finding> {
    for (const { sortKey, verdict } of this.verdicts.values()) yield verdict.finding(sortKey === VIEW_KEY && wantsView);
  }
}

/** The name of an item among others. */
export function nameOf({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}
