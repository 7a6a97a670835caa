import type { Item } from '../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition } from '../../core/items/keys.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey } from '../../core/store-port.ts';

/** Counts base items whose type isn't in the model, by the form of their keys. */

export interface UnplacedForm {
  /** The beginnings of both keys, with `…` where more follows: `invoice#… line#…`. */
  form: string;
  items: number;
  examples: ItemKey[];
}

export interface UnplacedCount {
  items: number;
  forms: UnplacedForm[];
  /** Items whose form is beyond `MOST_FORMS`. */
  others: number;
}

const [MOST_FORMS, MOST_EXAMPLES] = [100, 3];
const MOST_CHARACTERS = 40;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

export class UnplacedItems {
  private readonly forms = new Map<string, UnplacedForm>();
  private items = 0;
  private others = 0;

  constructor(private readonly graph: CompiledModel) {}

  addItem(key: ItemKey, item: Item): void {
    const { source, target } = key;
    if (isServicePartition(source) || isDerivedKey(target)) return;
    if (classifyBaseItem(this.graph, source, target, item).kind === 'unknown') this.add(key);
  }

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

  restore({ items, forms, others }: UnplacedCount): void {
    this.items += items;
    this.others += others;
    for (const one of forms) this.forms.set(one.form, structuredClone(one));
  }

  get count(): UnplacedCount {
    const forms = [...this.forms.values()].sort((a, b) => b.items - a.items || (a.form < b.form ? -1 : 1));
    return { items: this.items, forms, others: this.others };
  }
}

/** Returns a key's beginning up to the first separator after a word, with `…` if more follows. */
function beginningOf(key: string): string {
  const characters = [...key.slice(0, MOST_CHARACTERS)];
  const word = characters.findIndex((one) => WORD_CHARACTER.test(one));
  const separator = characters.findIndex((one, i) => i > word && word >= 0 && !WORD_CHARACTER.test(one));
  const shown = (separator < 0 ? characters : characters.slice(0, separator + 1)).join('');
  return shown.length < key.length ? `${shown}…` : shown;
}
