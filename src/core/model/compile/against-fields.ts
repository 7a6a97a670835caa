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
import type { MistakeLog } from './schemas.ts';

/**
 * An option that names an attribute missing from `fields` finds nothing; one that accepts other values has every write
 * refused.
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

export function checkAgainstFields(model: NamingModel, table: TableNames, mistakes: MistakeLog): void {
  const owners = new AttributeOwners(model);
  const note = (path: string, message: string): void => {
    const isNoted = mistakes.some((mistake) => mistake.path === path && mistake.message === message);
    if (!isNoted) mistakes.push({ path, message });
  };
  checkRequired(model, owners, table, note);
  for (const use of attributeUses(model, owners)) checkUse(use, table, note);
}

type Note = (path: string, message: string) => void;

/** The writer sets these itself: every update, or every new node, would be refused. */
function checkRequired(
  { nodes, edges }: NamingModel,
  owners: AttributeOwners,
  { partitionKey, sortKey }: TableNames,
  note: Note,
): void {
  const hashed = new Set([...edges.values()].flatMap(({ type, keys }) => (keys === 'hashed' ? owners.edge(type) : [])));
  for (const owner of owners.all()) {
    const own = [partitionKey, sortKey, ...(hashed.has(owner) ? [TARGET_ID] : [])];
    for (const name of own.filter((key) => owner.known?.required.has(key)))
      note(
        owner.path,
        `ask for ${name}, which the writer sets itself, and updates do not have: leave it out of fields`,
      );
  }
  for (const { type, versionAttribute = '' } of nodes.values()) {
    if (!owners.node(type).some(({ known }) => known?.required.has(versionAttribute))) continue;
    const message = `${versionAttribute} is required by its fields, but a new node has no version: make it optional in fields`;
    note(`nodes.${type}.versionAttribute`, message);
  }
}

function checkUse({ path, attribute, owners, taken }: AttributeUse, table: TableNames, note: Note): void {
  if (owners.length === 0) return;
  const having = owners.filter(({ known }) => known?.forms.has(attribute));
  if (having.length === 0 && owners.every(({ known }) => known?.isOpen === false)) {
    if ([table.partitionKey, table.sortKey, TARGET_ID].includes(attribute)) return;
    const words = owners.flatMap(({ known }) => [...known!.forms.keys()]);
    const whose = owners.map(({ name }) => name).join(' or ');
    note(path, `${attribute} is no attribute of ${whose}${wordsThereAre(attribute, new Set(words))}`);
  }
  if (taken !== undefined) for (const owner of having) checkForms(path, attribute, owner, taken, note);
}

function checkForms(path: string, attribute: string, { known }: AttributeOwner, taken: TakenValues, note: Note): void {
  const forms = known?.forms.get(attribute) ?? [];
  const wrong = forms.filter((form) => !taken.takes(form));
  if (wrong.length === 0) return;
  const verb = wrong.length === forms.length ? 'is' : 'may be';
  const first = wrong[0]!;
  const remedy = GENERAL_REMEDIES[first.kind] ?? taken.remedy(first);
  note(path, `${attribute} ${verb} ${namesOfForms(wrong)} by its fields, but ${taken.text}: ${remedy}`);
}

export function namesOfForms(forms: readonly ValueForm[]): string {
  const names = forms.map(({ kind, text }) => (text === undefined ? FORM_NAMES[kind] : JSON.stringify(text)));
  return [...new Set(names)].join(' or ');
}
