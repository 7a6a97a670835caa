import { type Item, itemSizeBytes } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { CONTENT } from '../../kernel/stored-parts.ts';
import { textOf } from '../../kernel/values.ts';
import { wrongParts } from '../observer/wrong-parts.ts';
import { type ModelOptions, TIGHT_BUDGET_BYTES } from './models.ts';
import { isPoison } from './oracle.ts';

/** A batch, and how many of its records, from the first on, the projector says are done. */
export interface Answered {
  records: readonly ChangeRecord[];
  done: number;
}

/** What a quiet table is judged by. */
export interface QuietTable {
  options: ModelOptions;
  /** Every item. */
  items: readonly Item[];
  /** The batches that were answered for. */
  answered: readonly Answered[];
  /** Quarantine entries that were settled and deleted, as `entryOf` names them. */
  settledEntries: ReadonlySet<string>;
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
  const judged = entries.filter((item) => !givenUp.has(textOf(item['source'])));
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

/** An entry for each record of poison that a batch ended in, if it was not settled; none for another record. */
function compareEntries(
  found: string[],
  entries: ReadonlySet<string>,
  { options, answered, settledEntries, givenUp }: QuietTable,
): void {
  const poison = new Set<string>();
  for (const { records, done } of answered) {
    const newest = new Map<string, number>();
    for (const [i, record] of records.entries()) {
      if (givenUp.has(record.source)) continue;
      newest.set(`${record.source} ${record.target}`, i);
      if (record.newImage !== undefined && isPoison(options, record.newImage)) poison.add(entryText(record));
    }
    for (const i of newest.values()) {
      const entry = entryText(records[i]!);
      const isKept = entries.has(entry) || settledEntries.has(entry);
      if (i < done && poison.has(entry) && !isKept) found.push(`there is no quarantine entry ${entry}`);
    }
  }
  for (const entry of entries) if (!poison.has(entry)) found.push(`the quarantine entry ${entry} has no reason`);
}

/** A quarantine entry as it is told from others: by the record that it stands for. */
export function entryOf(item: Item): string {
  return `${textOf(item['source'])} ${textOf(item['of'])} ${textOf(item['w'])}`;
}

function entryText({ source, target, position }: ChangeRecord): string {
  return `${source} ${target} ${position}`;
}
