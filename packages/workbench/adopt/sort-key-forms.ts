import type { PartitionForm } from './partition-forms.ts';
import { isOfElectroDb, type SampledItem } from './sampled-item.ts';
import { endOfFirstWord, grouped, hasDigit, isOfWord } from './texts.ts';

/** Finds what the sort keys of one form of partitions are made of. */

/** Items of one form of partitions whose sort keys one template makes, and that are of one type. */
export type SortKeyForm = { items: readonly SampledItem[] } & (
  | { kind: 'node'; target: string }
  | { kind: 'edge'; before: string; to: PartitionForm; known: number; isGuess: boolean }
  | { kind: 'other'; reason: string }
);

/** An item with the id of its partition, and what its sort key may be. */
interface Placed {
  item: SampledItem;
  id: string;
  /** The sort key with `{id}` for the id of its own partition. */
  own: string | undefined;
  /** The node that the sort key names. */
  edge: FoundStem | undefined;
}

/** A stem in a sort key, with what stands before its end and behind it. */
interface FoundStem {
  stem: Stem;
  before: string;
  rest: string;
}

/** The share of items that an evidence has to be seen in. */
const MOST = 0.8;
/** Partitions that show that a sort key is the same in all of them. */
const ENOUGH = 3;

/** The share of the targets that have to be known ids where nothing else says whose ids they are. */
const SHARE_OF_KNOWN = 0.3;
const LEAST_KNOWN = 2;
/** Beginnings of sort keys above which something besides the ids varies. */
const MOST_BEGINNINGS = 20;

/** The forms of the sort keys in partitions of one form. */
export function sortKeyForms(
  form: PartitionForm,
  forms: readonly PartitionForm[],
  stems: readonly Stem[],
): SortKeyForm[] {
  const partitionsOf = new Map<string, Set<string>>();
  for (const { source, target } of form.items) {
    const found = partitionsOf.get(target);
    if (found === undefined) partitionsOf.set(target, new Set([source]));
    else found.add(source);
  }
  const targetsOf = new Map(forms.map((one) => [one, new Set(one.ids.values())]));
  const placed = form.items.map((item): Placed => {
    const id = form.ids.get(item.source)!;
    const edge = stemIn(item.target, stems);
    const own = withPlace(item.target, id);
    const isOfSelf = edge === undefined || (edge.stem.form === form && isIdBefore(edge.rest, id));
    return { item, id, edge, own: isOfSelf ? own : undefined };
  });
  const kin = grouped(placed, ({ item }) => kinOf(item));
  const ownShare = new Map(
    [...kin].map(([name, own]) => [name, own.filter((one) => one.own !== undefined).length / own.length]),
  );
  const texts = new Map([...kin].map(([name, own]) => [name, new Set(own.map(({ item }) => item.target)).size]));
  const isOfMost = ({ target }: SampledItem): boolean => {
    const partitions = partitionsOf.get(target)!.size;
    return partitions >= ENOUGH && partitions * 2 >= form.ids.size;
  };
  const nameOf = (one: Placed): string => {
    const { item, edge, own } = one;
    const name = kinOf(item);
    if (own !== undefined && ownShare.get(name)! >= MOST) return `own ${own}`;
    const isTarget = edge !== undefined && edge.rest !== '';
    if (isTarget && (!isOfMost(item) || targetsOf.get(edge.stem.form)!.has(edge.rest))) {
      const isSecond = stemIn(edge.rest, stems) !== undefined && !targetsOf.get(edge.stem.form)!.has(edge.rest);
      return isSecond ? 'two' : `to ${forms.indexOf(edge.stem.form)} ${edge.before}`;
    }
    const isShared = partitionsOf.get(item.target)!.size > 1;
    const isText = isPlain(item) || isOfMost(item) || (isShared && texts.get(name) === 1);
    return isText ? `is ${item.target}` : 'rest';
  };
  const groups = grouped(
    placed,
    (one) => `${nameOf(one)}\0${one.item.mark?.attribute ?? ''}\0${one.item.mark?.value ?? ''}`,
  );
  const made: SortKeyForm[] = [];
  const rest: Placed[] = [];
  for (const own of groups.values()) {
    const [first] = own as [Placed];
    const items = own.map(({ item }) => item);
    const name = nameOf(first);
    if (name.startsWith('own ')) made.push({ kind: 'node', target: first.own!, items });
    else if (name.startsWith('to ')) made.push(edgeForm(first.edge!.before, first.edge!.stem.form, own, false));
    else if (name.startsWith('is ')) made.push({ kind: 'node', target: first.item.target, items });
    else if (name === 'two') made.push({ kind: 'other', reason: 'the sort key names two nodes', items });
    else rest.push(...own);
  }
  return [...withFewBeginnings(made), ...otherForms(rest, forms)];
}

/** Items whose sort keys begin alike, and that are of one type. */
function kinOf({ target, mark }: SampledItem): string {
  const end = endOfFirstWord(target);
  return `${mark?.value ?? ''}\0${end === undefined ? target : target.slice(0, end)}`;
}

/** Whether a text is an id, or has one before a separator. */
function isIdBefore(text: string, id: string): boolean {
  return text === id || (text.startsWith(id) && !isOfWord(text[id.length]));
}

/** The text that sort keys of edges have before the ids of their targets, for one form of partitions. */
export interface Stem {
  text: string;
  form: PartitionForm;
}

/** The texts before the ids of each form of partitions, as sort keys may have them: `$app#userid_` is `userid_` there. */
export function stemsOf(forms: readonly PartitionForm[]): Stem[] {
  return forms.flatMap((form) => {
    const { before } = form;
    if (before === '') return [];
    const bare = before.slice(0, -1);
    const at = Math.max(...['#', '|', '/', ':'].map((separator) => bare.lastIndexOf(separator)));
    const last = before.slice(at + 1);
    return last === before
      ? [{ text: before, form }]
      : [
          { text: before, form },
          { text: last, form },
        ];
  });
}

/** The first stem in a sort key. */
function stemIn(target: string, stems: readonly Stem[]): FoundStem | undefined {
  let found: { stem: Stem; end: number } | undefined;
  for (const stem of stems) {
    for (let at = target.indexOf(stem.text); at >= 0; at = target.indexOf(stem.text, at + 1)) {
      const isWhole = at === 0 || !isOfWord(target[at - 1]) || !isOfWord(stem.text[0]);
      if (!isWhole) continue;
      // The first one counts: what stands behind it may be in the id.
      const end = at + stem.text.length;
      if (found === undefined || end < found.end) found = { stem, end };
      break;
    }
  }
  return found && { stem: found.stem, before: target.slice(0, found.end), rest: target.slice(found.end) };
}

/** A sort key with `{id}` where the id of its own partition stands between separators; undefined where it does not. */
function withPlace(target: string, id: string): string | undefined {
  const at = target.indexOf(id);
  if (at <= 0) return undefined;
  const end = at + id.length;
  const isWhole = !isOfWord(target[at - 1]) && (end === target.length || !isOfWord(target[end]));
  return isWhole ? `${target.slice(0, at)}{id}${target.slice(end)}` : undefined;
}

/** Whether all partitions of the type may have the same sort key as this item: it is a word, or ElectroDB made it without attributes. */
function isPlain(item: SampledItem): boolean {
  const { target, mark, texts } = item;
  if (isOfElectroDb(item)) return target.endsWith(`${mark!.value}_${texts.get('__edb_v__') ?? ''}`);
  return !hasDigit(target) && endOfFirstWord(target) === undefined;
}

function edgeForm(before: string, to: PartitionForm, placed: readonly Placed[], isGuess: boolean): SortKeyForm {
  const targets = new Set(to.ids.values());
  const items = placed.map(({ item }) => item);
  const known = items.filter(({ target }) => targets.has(target.slice(before.length))).length;
  return { kind: 'edge', before, to, known, isGuess, items };
}

/** Takes out edges whose keys have something else that varies: then each beginning has few items. */
function withFewBeginnings(made: readonly SortKeyForm[]): SortKeyForm[] {
  const ofEdges = grouped(made, (one) => {
    const { mark } = one.items[0]!;
    return one.kind === 'edge' ? `${mark?.value ?? ''}\0${one.before.slice(0, endOfFirstWord(one.before))}` : '';
  });
  return [...ofEdges].flatMap(([name, own]) => {
    if (name === '' || own.length <= MOST_BEGINNINGS) return own;
    const items = own.flatMap((one) => one.items);
    return [{ kind: 'other', reason: 'something besides the id of the target varies in the sort key', items }];
  });
}

/** Items whose sort keys name no form of partitions: edges, if what follows their first word are ids that the sample has. */
function otherForms(rest: readonly Placed[], forms: readonly PartitionForm[]): SortKeyForm[] {
  const groups = grouped(rest, ({ item: { target, mark } }) => {
    return `${mark?.value ?? ''}\0${target.slice(0, endOfFirstWord(target) ?? 0)}`;
  });
  return [...groups.values()].map((placed): SortKeyForm => {
    const items = placed.map(({ item }) => item);
    const { target } = items[0]!;
    const before = target.slice(0, endOfFirstWord(target) ?? 0);
    if (before === '') return { kind: 'other', reason: 'the sort key has no text before what varies', items };
    const best = forms
      .map((form) => edgeForm(before, form, placed, true) as Extract<SortKeyForm, { kind: 'edge' }>)
      .sort((left, right) => right.known - left.known)[0]!;
    if (best.known >= Math.max(LEAST_KNOWN, items.length * SHARE_OF_KNOWN)) return best;
    return { kind: 'other', reason: `no partition key has ${JSON.stringify(before)} before its id`, items };
  });
}
