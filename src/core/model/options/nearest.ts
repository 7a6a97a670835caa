const MOST_LISTED = 12;
/** Limits the cost of comparing: a name in a message may have any length. */
const MOST_COMPARED = 64;

export function nearest(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(Math.min(word.length, MOST_COMPARED) / 3)) + 1;
  for (const other of words) {
    const distance = distanceOf(
      word.slice(0, MOST_COMPARED).toLowerCase(),
      other.slice(0, MOST_COMPARED).toLowerCase(),
    );
    if (distance >= least) continue;
    least = distance;
    best = other;
  }
  return best;
}

export function wordsThereAre(word: string, words: Iterable<string>): string {
  const all = [...words];
  const near = nearest(word, all);
  const listed = all.slice(0, MOST_LISTED).join(', ');
  const rest = all.length > MOST_LISTED ? ` and ${all.length - MOST_LISTED} more` : '';
  const there = all.length === 0 ? 'There are none' : `There ${all.length === 1 ? 'is' : 'are'} ${listed}${rest}`;
  return `.${near === undefined ? '' : ` Did you mean ${near}?`} ${there}`;
}

/** Swapping two neighboring characters counts as one change. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwapped && !isSame) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[right.length]!;
}
