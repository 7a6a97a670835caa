import { attributesInIndex, SHORT_TEXTS } from '../../items/derived-item.ts';
import { indexesInUse, indexKeysOf, type TableNames } from '../compiled.ts';
import {
  MOST_INDEXES,
  type NativeDeclarations,
  type NativeIndexNeed,
  type NativeKeys,
  nativeIndexesOf,
  placedNativeIndexes,
} from '../native-indexes.ts';
import { namesOfForms } from './against-fields.ts';
import { AttributeOwners, attributeUses, ownAttributes } from './attribute-uses.ts';
import { ownerOfAttribute } from './definitions.ts';
import type { Mistakes } from './mistakes.ts';

/** DynamoDB allows 255 characters, of which up to 9 (`-all` or a hash) may follow the keys. */
const IN_INDEX_NAMES = /^[A-Za-z0-9_.-]{3,246}$/;
/** DynamoDB's limits on projected attributes: per index, and for all indexes of a table together. */
const [MOST_IN_INDEX, MOST_COPIED] = [20, 100];

/** DynamoDB refuses an item whose attribute has another type than the index key of that name. */
function checkTypes(model: NativeDeclarations, mistakes: Mistakes): void {
  const placed = placedNativeIndexes(model);
  if (placed.length === 0) return;
  const owners = new AttributeOwners(model);
  const uses = attributeUses(model, owners);
  const ofModel = uses.map(({ path, attribute, taken }) => ({ attribute, stored: taken?.stored, of: path }));
  const all = [...ownAttributes(model.table, model), ...ofModel];
  for (const { path, keys, of } of placed) {
    const { attribute, type } = keys;
    const own = `has ${JSON.stringify(attribute)} as ${type === 'N' ? 'a number' : 'a text'}`;
    const other = all.find((use) => use.attribute === attribute && use.stored !== undefined && use.stored !== type);
    if (other !== undefined) mistakes.at(path).note(`${own}, and ${other.of} has it as another type`);
    for (const { name, path: fields, known } of owners.all().filter((owner) => owner.name !== of.type)) {
      const wrong = (known?.forms.get(attribute) ?? []).filter(
        ({ kind }) => kind !== (type === 'N' ? 'number' : 'text'),
      );
      if (wrong.length === 0) continue;
      mistakes
        .at(path)
        .note(
          `${own}, and ${fields} let ${namesOfForms(wrong)} through: DynamoDB would refuse each such ${name}. Name another attribute, or leave out native`,
        );
    }
  }
}

/**
 * The projector doesn't check the items in a native index, so readers would read, and pay for, items of other tenants
 * before dropping them.
 */
export function checkNativeTenants(declarations: NativeDeclarations, mistakes: Mistakes): void {
  for (const { path } of placedNativeIndexes(declarations)) {
    const message = 'is native, in a model with tenantSeparator: every tenant could fill the list. Leave out native';
    mistakes.at(path).note(message);
  }
}

export function checkNativeIndexes(model: NativeDeclarations, mistakes: Mistakes): void {
  const { table } = model;
  const keysOfIndexes = table.indexes.flatMap((index) => Object.values(indexKeysOf(table)[index]));
  for (const { path, keys } of placedNativeIndexes(model)) {
    const fault = faultOfKeys(keys, table, keysOfIndexes);
    if (fault !== undefined) mistakes.at(path).note(`names ${JSON.stringify(keys.attribute)}, ${fault}`);
  }
  checkTypes(model, mistakes);
  const needs = nativeIndexesOf(model);
  checkGivenNames(table, needs, mistakes);
  if (needs.length === 0) return;
  checkDistinctNames(table, needs, mistakes.at('table.indexes'));
  checkLimits(model, needs, mistakes.at('table.indexes'));
}

function faultOfKeys(
  { attribute, type, partition, sort }: NativeKeys,
  table: TableNames,
  keysOfIndexes: readonly string[],
): string | undefined {
  if ([table.partitionKey, table.sortKey].includes(attribute)) return 'a key of the table';
  const mayBeKey = ownerOfAttribute(attribute) === undefined || (type === 'S' && SHORT_TEXTS.has(attribute));
  if (keysOfIndexes.includes(attribute) || !mayBeKey)
    return "an attribute of Edgeloom's own items, which DynamoDB would put into the index or refuse";
  if (IN_INDEX_NAMES.test(`${partition}-${sort}`)) return undefined;
  return 'but the index has both keys as its name, and takes only A-Z, a-z, 0-9, _, - and .: 246 of them';
}

function checkGivenNames(
  { nativeNames = [] }: TableNames,
  needs: readonly NativeIndexNeed[],
  mistakes: Mistakes,
): void {
  for (const { name, partition, sort } of nativeNames) {
    const need = needs.find((one) => one.partition === partition && one.sort === sort);
    if (need?.name === name) continue;
    const fault =
      need === undefined
        ? `which no native order or search of this model needs: leave ${name} out, or correct its keys`
        : 'which another index has: name one of them';
    const message = `has the keys ${partition} and ${sort}, ${fault}`;
    mistakes.at(`table.nativeIndexes.${name}`).note(message);
  }
}

function checkDistinctNames(table: TableNames, needs: readonly NativeIndexNeed[], mistakes: Mistakes): void {
  for (const [i, { name }] of needs.entries()) {
    if (needs[i + 1]?.name === name) {
      mistakes.note(`have the name ${name} for two native ones, which differ: name an attribute otherwise`);
    }
    if (!table.indexes.some((index) => table.indexNames[index] === name)) continue;
    mistakes.note(`give an index the name ${name}, which a native order or search has: give it another one`);
  }
}

function checkLimits(
  { table, nodes, edges }: NativeDeclarations,
  needs: readonly NativeIndexNeed[],
  mistakes: Mistakes,
): void {
  const derived = indexesInUse(nodes.values(), edges.values());
  const all = Math.max(table.indexes.length, derived.length) + needs.length;
  if (all > MOST_INDEXES) mistakes.note(`are ${all} with the native ones, but a table has ${MOST_INDEXES} at most`);
  for (const { name, attributes = [] } of needs) {
    if (attributes.length <= MOST_IN_INDEX) continue;
    const message = `would have ${attributes.length} attributes in the index ${name}, but DynamoDB takes ${MOST_IN_INDEX}: project fewer, or 'ALL'`;
    mistakes.note(message);
  }
  const copied = [...table.indexes.map(attributesInIndex), ...needs.map(({ attributes = [] }) => attributes)].flat()
    .length;
  if (copied > MOST_COPIED) {
    const message = `hold ${copied} attributes with those of native orders and searches, but DynamoDB takes ${MOST_COPIED}: project fewer`;
    mistakes.note(message);
  }
}
