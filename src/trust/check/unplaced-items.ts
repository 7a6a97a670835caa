import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey } from '../../core/store-port.ts';

/** Base items of no type of the model, counted by the form of their keys. */

/** The items whose keys have one form. */
export interface UnplacedForm {
  /** The beginnings of both keys, `…` where more follows: `invoice#… line#…`. */
  form: string;
  items: number;
  /** Keys of some of them. */
  examples: ItemKey[];
}

/** The count of items of no type of the model. */
export interface UnplacedCount {
  items: number;
  /** The forms with most items first. */
  forms: UnplacedForm[];
  /** Items of further forms. */
  others: number;
}

/** The most forms that are counted by themselves, and the most examples of one. */
const [MOST_FORMS, MOST_EXAMPLES] = [100, 3];
/** The most characters of a form that come from one key. */
const MOST_CHARACTERS = 40;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Counts items of no type of a model. */
export class UnplacedItems {
  private readonly forms = new Map<string, UnplacedForm>();
  private items = 0;
  private others = 0;

  constructor(private readonly graph: CompiledModel) {}

  /** Counts an item, if it is a base item of no type of the model. */
  addItem(key: ItemKey, item: Item): void {
    const { source, target } = key;
    if (isServicePartition(source) || isDerivedKey(target)) return;
    if (classifyBaseItem(this.graph, source, target, item).kind === 'unknown') this.add(key);
  }

  /** Counts an item that is known to be of no type of the model. */
  add(key: ItemKey): void {
    this.items += 1;
    const form = `${beginningOf(key.source)} ${beginningOf(key.target)}`;
    const known = this.forms.get(form);
    if (known === undefined && this.forms.size >= MOST_FORMS) {
      this.others += 1;
      return;
    }
    const counted = known ?? { form, items: 0, examples: [] };
    counted.items += 1;
    if (counted.examples.length < MOST_EXAMPLES) counted.examples.push({ source: key.source, target: key.target });
    this.forms.set(form, counted);
  }

  /** The count so far. */
  get count(): UnplacedCount {
    const forms = [...this.forms.values()].sort((a, b) => b.items - a.items || (a.form < b.form ? -1 : 1));
    return { items: this.items, forms, others: this.others };
  }
}

/** The beginning of a key up to the first separator behind a word, with `…` where more follows. */
function beginningOf(key: string): string {
  const characters = [...key.slice(0, MOST_CHARACTERS)];
  const word = characters.findIndex((one) => WORD_CHARACTER.test(one));
  const separator = characters.findIndex((one, i) => i > word && word >= 0 && !WORD_CHARACTER.test(one));
  const shown = (separator < 0 ? characters : characters.slice(0, separator + 1)).join('');
  return shown.length < key.length ? `${shown}…` : shown;
}
