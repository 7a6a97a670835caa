import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { EDGE_SET, REVISION } from '../core/items/derived-item.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { DerivedUpdate, RevisionCondition } from '../core/store-port.ts';
import { storedIndexKeys } from './index-key-names.ts';

/**
 * An update in PartiQL, which has no upsert: absent items are inserted, and items with a known revision are updated
 * ("PartiQL insert statements", "PartiQL update statements for DynamoDB").
 */
export interface Statement {
  text: string;
  parameters: AttributeValue[];
  /** True if an engine that needs another form would refuse this statement. */
  showsForm: boolean;
}

/** How to write several assignments. AWS documents a keyword for each; the embedded engine only accepts lists. */
export const STATEMENT_FORMS = ['keyword for each', 'lists'] as const;

export type StatementForm = (typeof STATEMENT_FORMS)[number];

const SET_CHANGES = ['?', `set_add("${EDGE_SET}", ?)`, `set_delete("${EDGE_SET}", ?)`] as const;

/** DynamoDB's limit for a statement without its parameters. */
const MOST_CHARACTERS = 8_192;
/**
 * Names that mean the same in single and double quotes, unlike names with dots, brackets or escapes in some engines.
 */
const PLAIN_NAME = /^[\w/~-]+$/;
/** Revisions that need no decimal arithmetic to increment. */
const PLAIN_REVISION = /^\d{1,37}$/;

export class Statements {
  private readonly names = new Map<string, string | undefined>();
  private readonly indexKeys: ReadonlyMap<string, string>;
  private readonly isPossible: boolean;
  private readonly insert: string;
  private readonly update: string;
  private readonly where: string;

  constructor({ name, partitionKey, sortKey, ...table }: TableNames) {
    this.indexKeys = storedIndexKeys(table);
    this.isPossible = PLAIN_NAME.test(partitionKey) && PLAIN_NAME.test(sortKey);
    for (const own of [partitionKey, sortKey, REVISION]) this.names.set(own, undefined);
    this.insert = `INSERT INTO "${name}" VALUE {'${partitionKey}': ?, '${sortKey}': ?, '${REVISION}': ?`;
    this.where = ` WHERE "${partitionKey}" = ? AND "${sortKey}" = ? AND "${REVISION}" = ?`;
    this.update = `UPDATE "${name}" SET "${REVISION}" = ?`;
  }

  of(update: DerivedUpdate, form: StatementForm): Statement | undefined {
    const { condition, add, addTo } = update;
    if (!this.isPossible || hasOwn(add) || hasOwn(addTo)) return undefined;
    if (condition.kind === 'absent') return this.insertion(update);
    return condition.kind === 'revision' ? this.change(update, condition, form) : undefined;
  }

  /** Ignores removals, because an absent item has nothing to remove. */
  private insertion({
    key,
    set,
    unset,
    addElements,
    deleteElements,
    setElements,
  }: DerivedUpdate): Statement | undefined {
    const added = nonEmpty(addElements) ?? nonEmpty(setElements);
    if ([addElements, deleteElements, setElements].filter(nonEmpty).length > 1) return undefined;
    const parameters: AttributeValue[] = [{ S: key.source }, { S: key.target }, { N: '1' }];
    let text = this.insert;
    const taken = this.assignments(set, unset, added, parameters, (name) => {
      text += `, '${name}': ?`;
    });
    return taken ? statement(`${text}}`, parameters, false) : undefined;
  }

  private change(
    { key, set, unset, addElements, deleteElements, setElements }: DerivedUpdate,
    { revision, malformed, expiry }: RevisionCondition,
    form: StatementForm,
  ): Statement | undefined {
    if (revision === undefined || malformed !== undefined || !PLAIN_REVISION.test(revision)) return undefined;
    const sets = [nonEmpty(setElements), nonEmpty(addElements), nonEmpty(deleteElements)];
    const which = sets.findIndex((elements) => elements !== undefined);
    // A statement can't change an attribute twice, and the embedded engine has no set functions.
    if (sets.filter((elements) => elements !== undefined).length > 1 || (which > 0 && form === 'lists'))
      return undefined;
    const parameters: AttributeValue[] = [{ N: String(BigInt(revision) + 1n) }];
    const [nextSet, nextRemoval] = form === 'lists' ? [', ', ', '] : [' SET ', ' REMOVE '];
    let text = this.update;
    let isLong = false;
    const taken = this.assignments(set, unset, sets[which], parameters, (name) => {
      isLong = true;
      text += `${nextSet}"${name}" = ${name === EDGE_SET ? SET_CHANGES[which] : '?'}`;
    });
    if (!taken) return undefined;
    for (const [i, name] of unset.entries()) text += `${i === 0 ? ' REMOVE ' : nextRemoval}"${this.nameOf(name)}"`;
    text += this.where;
    parameters.push({ S: key.source }, { S: key.target }, { N: revision });
    if (expiry !== undefined) {
      const name = this.nameOf(expiry.attribute);
      if (name === undefined) return undefined;
      text += ` AND "${name}" = ?`;
      parameters.push(expiry.value);
    }
    return statement(text, parameters, isLong || unset.length > 1);
  }

  /** Returns false if an attribute can't be set by a statement or occurs twice. */
  private assignments(
    set: Item,
    unset: readonly string[],
    elements: readonly string[] | undefined,
    parameters: AttributeValue[],
    assign: (name: string) => void,
  ): boolean {
    for (const attribute of Object.keys(set)) {
      const name = this.nameOf(attribute);
      if (name === undefined || (elements !== undefined && attribute === EDGE_SET)) return false;
      assign(name);
      parameters.push(set[attribute]!);
    }
    if (elements !== undefined) {
      assign(EDGE_SET);
      parameters.push({ SS: [...elements] });
    }
    return unset.every(
      (attribute, i) =>
        this.nameOf(attribute) !== undefined &&
        !Object.hasOwn(set, attribute) &&
        !(elements !== undefined && attribute === EDGE_SET) &&
        unset.indexOf(attribute) === i,
    );
  }

  private nameOf(attribute: string): string | undefined {
    if (!this.names.has(attribute)) {
      const stored = this.indexKeys.get(attribute) ?? attribute;
      this.names.set(attribute, PLAIN_NAME.test(stored) ? stored : undefined);
    }
    return this.names.get(attribute);
  }
}

function statement(text: string, parameters: AttributeValue[], showsForm: boolean): Statement | undefined {
  return text.length > MOST_CHARACTERS ? undefined : { text, parameters, showsForm };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list !== undefined && list.length > 0 ? list : undefined;
}

function hasOwn(record: object | undefined): boolean {
  return record !== undefined && Object.keys(record).length > 0;
}
