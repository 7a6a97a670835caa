import { type AttributeValue, type Item, setOwn, typeOf } from '../../../src/core/items/attribute-value.ts';
import { COUNTED, LEDGER } from '../../../src/core/items/derived-item.ts';
import { isWellFormed, typeName } from '../../../src/core/items/encoding.ts';
import { isWithinBytes } from '../../../src/core/items/keys.ts';
import { groupAttribute, PROBLEMS, sumAttribute } from '../../../src/core/items/ledger.ts';
import { parseUnits, SUM_DECIMALS, SUM_DIGITS, textOfUnits } from '../../../src/core/items/units.ts';
import type { CountModel } from '../../../src/core/model/compiled.ts';
import { PartError, type Problem, part, type Subject } from './subject.ts';

/** The most bytes of a text that edges are grouped by. */
const GROUP_BYTES = 256;

/** The fields by which an edge's item is counted: the name of the count, and the edge's values in its sums and groups. */
export function countedFields({ places, totals }: CountModel, subject: Subject, problems: Problem[]): Item {
  const counted: Item = { [COUNTED]: { S: places.name } };
  const ledger: Item = {};
  let failures = 0;
  const add = (name: string, attribute: string, read: (value: AttributeValue) => AttributeValue): void => {
    const value = part(problems, () => {
      const own = subject.attribute(attribute);
      return { read: own && read(own) };
    });
    if (value === undefined) failures += 1;
    else if (value.read !== undefined) setOwn(ledger, name, value.read);
  };
  for (const { name, attribute } of totals?.sums ?? []) {
    add(sumAttribute(name), attribute, (value) => summand(value, attribute, `the sum ${name}`));
  }
  for (const { name, attribute } of totals?.groups ?? []) {
    add(groupAttribute(name), attribute, (value) => group(value, attribute, `the group ${name}`));
  }
  if (failures > 0) ledger[PROBLEMS] = { N: String(failures) };
  return Object.keys(ledger).length === 0 ? counted : { ...counted, [LEDGER]: { M: ledger } };
}

function summand(value: AttributeValue, attribute: string, purpose: string): AttributeValue {
  if ('N' in value) return { N: digits(value.N, attribute, purpose) };
  throw mistake('wrong-type', attribute, purpose, `be a number, but is ${typeName(typeOf(value))}`);
}

/** A group begins with a letter of its type: the number 4 and the text "4" are two. */
function group(value: AttributeValue, attribute: string, purpose: string): AttributeValue {
  if ('N' in value) return { S: `N${digits(value.N, attribute, purpose)}` };
  if ('BOOL' in value) return { S: `B${value.BOOL}` };
  if (!('S' in value)) {
    const found = typeName(typeOf(value));
    throw mistake('wrong-type', attribute, purpose, `be a text, a number or a boolean, but is ${found}`);
  }
  if (isWellFormed(value.S) && isWithinBytes(value.S, GROUP_BYTES)) return { S: `S${value.S}` };
  throw mistake('out-of-bounds', attribute, purpose, `be a text of at most ${GROUP_BYTES} bytes`);
}

function digits(text: string, attribute: string, purpose: string): string {
  const units = parseUnits(text);
  if (units !== undefined) return textOfUnits(units);
  const bounds = `at most ${SUM_DIGITS} digits before the point and ${SUM_DECIMALS} behind it`;
  throw mistake('out-of-bounds', attribute, purpose, `have ${bounds}, but is ${text}`);
}

function mistake(code: Problem['code'], attribute: string, purpose: string, what: string): PartError {
  return new PartError(code, `attribute ${attribute}, needed for ${purpose}, should ${what}`, attribute);
}
