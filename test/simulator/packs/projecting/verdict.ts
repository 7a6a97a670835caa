import { type Item, itemSizeBytes } from '../../../../src/core/items/attribute-value.ts';
import { CONTENT } from '../../kernel/stored-parts.ts';
import { textOf } from '../../kernel/values.ts';
import { wrongParts } from '../observer/wrong-parts.ts';
import { type ModelOptions, TIGHT_BUDGET_BYTES } from './models.ts';
import { isPoison } from './oracle.ts';

/** What a quiet table is judged by. */
export interface QuietTable {
  options: ModelOptions;
  /** Every item. */
  items: readonly Item[];
  /** Partitions with records that were given up: what is quarantined there is not known. */
  givenUp: ReadonlySet<string>;
  /** Those of them that no repair has gone over. */
  unmended: ReadonlySet<string>;
}

const ENTRY_PREFIX = '~quarantine/';

/** The differences between the derived items and what the base items say, one sentence each. */
export function differences(quiet: QuietTable): string[] {
  const { options, items, givenUp, unmended } = quiet;
  // Of all items: what is derived from one partition may lie in another.
  const found = derivedDifferences(options, items).filter((text) => !unmended.has(text.split(' ')[0]!));
  const entries = items.filter((item) => textOf(item['target']).startsWith(ENTRY_PREFIX));
  const judged = entries.filter((item) => item['of'] !== undefined && !givenUp.has(textOf(item['source'])));
  compareEntries(found, new Set(judged.map(entryOf)), quiet);
  for (const item of items) if (!givenUp.has(textOf(item['source']))) compareSize(found, options, item);
  return found;
}

/** A view grows beyond its budget by a write and is cut by the next; where that was given up it waits for another record. */
function compareSize(found: string[], { budget }: ModelOptions, item: Item): void {
  const isBounded = textOf(item['target']) === '~view' && textOf(item['source']).startsWith('GOAL-');
  if (budget === 'ample' || !isBounded || itemSizeBytes(item) <= TIGHT_BUDGET_BYTES) return;
  found.push(`${textOf(item['source'])} ~view is beyond its budget with ${itemSizeBytes(item)} bytes`);
}

/** The differences between derived items and what the base items say, one sentence each, its partition first. */
export function derivedDifferences(options: ModelOptions, items: readonly Item[]): string[] {
  const wrong = new Map<string, string[]>();
  for (const { source, target, text } of wrongParts(options, items)) {
    const name = `${source} ${target}`;
    wrong.set(name, [...(wrong.get(name) ?? []), text]);
  }
  const told = [...wrong].map(([name, texts]) => `${name}: ${texts.join('; ')}`);
  return [...told, ...items.flatMap((item) => formProblems(options, item))];
}

/** What is wrong with the form of a derived item, whatever it says. */
function formProblems({ budget }: ModelOptions, item: Item): string[] {
  const target = textOf(item['target']);
  const name = `${textOf(item['source'])} ${target}`;
  const isMortal = item['expiresAt'] !== undefined;
  const found: string[] = [];
  if (target === '~view') {
    const isEvicted = item['evicted'] !== undefined;
    if (budget === 'ample' && isEvicted) found.push(`${name} has evicted an edge type`);
    if (item['gsi0pk'] !== undefined) found.push(`${name} has keys of an index`);
    const isLive = isEvicted || item['edgeSet'] !== undefined || item['attributes'] !== undefined;
    if (isMortal && isLive) found.push(`${name} has an expiry and is no tombstone`);
  } else if (target.startsWith('~more/')) {
    if (item['after'] === undefined && !isMortal) found.push(`${name} has no expiry`);
  } else if (/^~(ix|rev|in|view)\//.test(target)) {
    const isLive = CONTENT.some((field) => item[field] !== undefined);
    if (isMortal && isLive) found.push(`${name} has an expiry and is no tombstone`);
  }
  return found;
}

/** An entry for each base item that is poison as it is now; none for another one. */
function compareEntries(found: string[], entries: ReadonlySet<string>, { options, items, givenUp }: QuietTable): void {
  const poison = new Set<string>();
  for (const item of items) {
    const isBase = /^[A-Z]/.test(textOf(item['target']));
    if (isBase && !givenUp.has(textOf(item['source'])) && isPoison(options, item))
      poison.add(`${textOf(item['source'])} ${textOf(item['target'])}`);
  }
  for (const base of poison) if (!entries.has(base)) found.push(`there is no quarantine entry ${base}`);
  for (const base of entries) if (!poison.has(base)) found.push(`the quarantine entry ${base} has no reason`);
}

/** The base item that a live entry stands for. */
function entryOf(item: Item): string {
  return `${textOf(item['source'])} ${textOf(item['of'])}`;
}
