import { TARGET_ID } from '../../items/hashed-key.ts';
import type { TableNames } from '../compiled.ts';
import type { ValueForm } from '../known-fields.ts';
import { wordsThereAre } from '../options/nearest.ts';
import {
  type AttributeOwner,
  AttributeOwners,
  type AttributeUse,
  attributeUses,
  type NamingModel,
  type TakenValues,
} from './attribute-uses.ts';
import type { Mistakes } from './mistakes.ts';

/**
 * Checks the model's options against `fields`. An option that names an attribute missing from `fields` would find
 * nothing. The writer would refuse values that `fields` allows but an option doesn't accept.
 */

const FORM_NAMES: Readonly<Record<ValueForm['kind'], string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
  list: 'a list or set',
  map: 'an object',
  Date: 'a Date',
};
const GENERAL_REMEDIES: Partial<Record<ValueForm['kind'], string>> = {
  null: 'make it optional in fields instead of nullable: an item without it is left out',
  Date: 'make it an ISO 8601 text in fields, and take it as a date: no item holds a Date',
};

export function checkAgainstFields(model: NamingModel, table: TableNames, mistakes: Mistakes): void {
  const owners = new AttributeOwners(model);
  checkRequired(model, owners, table, mistakes);
  for (const use of attributeUses(model, owners)) checkUse(use, table, mistakes.at(use.path));
}

/**
 * The writer sets keys and versions itself: `fields` that require them would refuse every update, or every new node.
 */
function checkRequired(
  { nodes, edges }: NamingModel,
  owners: AttributeOwners,
  { partitionKey, sortKey }: TableNames,
  mistakes: Mistakes,
): void {
  const hashed = new Set([...edges.values()].flatMap(({ type, keys }) => (keys === 'hashed' ? owners.edge(type) : [])));
  for (const owner of owners.all()) {
    const own = [partitionKey, sortKey, ...(hashed.has(owner) ? [TARGET_ID] : [])];
    for (const name of own.filter((key) => owner.known?.required.has(key)))
      mistakes
        .at(owner.path)
        .note(`ask for ${name}, which the writer sets itself, and updates do not have: leave it out of fields`);
  }
  for (const { type, versionAttribute = '' } of nodes.values()) {
    if (!owners.node(type).some(({ known }) => known?.required.has(versionAttribute))) continue;
    const message = `${versionAttribute} is required by its fields, but a new node has no version: make it optional in fields`;
    mistakes.at(`nodes.${type}.versionAttribute`).note(message);
  }
}

function checkUse({ attribute, owners, taken }: AttributeUse, table: TableNames, mistakes: Mistakes): void {
  if (owners.length === 0) return;
  const having = owners.filter(({ known }) => known?.forms.has(attribute));
  if (having.length === 0 && owners.every(({ known }) => known?.isOpen === false)) {
    if ([table.partitionKey, table.sortKey, TARGET_ID].includes(attribute)) return;
    const words = owners.flatMap(({ known }) => [...known!.forms.keys()]);
    const whose = owners.map(({ name }) => name).join(' or ');
    mistakes.note(`${attribute} is no attribute of ${whose}${wordsThereAre(attribute, new Set(words))}`);
  }
  if (taken !== undefined) for (const owner of having) checkForms(attribute, owner, taken, mistakes);
}

function checkForms(attribute: string, { known }: AttributeOwner, taken: TakenValues, mistakes: Mistakes): void {
  const forms = known?.forms.get(attribute) ?? [];
  const wrong = forms.filter((form) => !taken.takes(form));
  if (wrong.length === 0) return;
  const verb = wrong.length === forms.length ? 'is' : 'may be';
  const first = wrong[0]!;
  const remedy = GENERAL_REMEDIES[first.kind] ?? taken.remedy(first);
  mistakes.note(`${attribute} ${verb} ${namesOfForms(wrong)} by its fields, but ${taken.text}: ${remedy}`);
}

export function namesOfForms(forms: readonly ValueForm[]): string {
  const names = forms.map(({ kind, text }) => (text === undefined ? FORM_NAMES[kind] : JSON.stringify(text)));
  return [...new Set(names)].join(' or ');
}
