import { type AttributeValue, type Item, setOwn, typeOf } from '../../items/attribute-value.ts';
import { COUNTED, LEDGER } from '../../items/derived-item.ts';
import { isWellFormed, typeName } from '../../items/encoding.ts';
import { isWithinBytes } from '../../items/keys.ts';
import { groupAttribute, PROBLEMS, sumAttribute } from '../../items/ledger.ts';
import { parseUnits, SUM_DECIMALS, SUM_DIGITS, textOfUnits } from '../../items/units.ts';
import type { CountModel, EdgeModel, TotalPart } from '../../model/compiled.ts';
import { PartError, type Subject } from './subject.ts';

/** The longest value to group by, limited because a total holds each value twice. */
const MOST_GROUP_BYTES = 256;

export function lineOfCount({ type, count }: Pick<EdgeModel, 'type' | 'count'>): string {
  return `edges.${type}.${count?.totals === undefined ? 'degree' : 'outgoing'}`;
}

export function lineOfTotal({ type, incoming }: Pick<EdgeModel, 'type' | 'incoming'>): string {
  const { sums = [], groups = [] } = incoming?.totals ?? {};
  return `edges.${type}.inbound.${sums.length === 0 && groups.length > 0 ? 'groupBy' : 'total'}`;
}

export function countedFields(count: CountModel, subject: Subject): Item {
  const { places, totals } = count;
  const counted: Item = { [COUNTED]: { S: places.name } };
  if (totals === undefined) return counted;
  const ledger: Item = {};
  let problems = 0;
  const addPart = (
    part: TotalPart,
    attribute: string,
    valueIn: (value: AttributeValue, part: TotalPart) => AttributeValue,
  ) => {
    try {
      const value = subject.attribute(part.attribute);
      if (value !== undefined) setOwn(ledger, attribute, valueIn(value, part));
    } catch (error) {
      problems += 1;
      if (error instanceof PartError) error.problem.isOfTotal = true;
      subject.noteProblem(error, count);
    }
  };
  for (const part of totals.sums) addPart(part, sumAttribute(part.name), summand);
  for (const part of totals.groups) addPart(part, groupAttribute(part.name), groupValue);
  if (problems > 0) ledger[PROBLEMS] = { N: String(problems) };
  return Object.keys(ledger).length === 0 ? counted : { ...counted, [LEDGER]: { M: ledger } };
}

function summand(value: AttributeValue, { name, attribute }: TotalPart): AttributeValue {
  const purpose = `attribute ${attribute}, needed for the sum ${name},`;
  if (!('N' in value)) {
    throw new PartError('wrong-type', `${purpose} should be a number, but is ${typeName(typeOf(value))}`, attribute);
  }
  return { N: numberText(value.N, purpose, attribute) };
}

/** Tags the value with its type, because the number 4 and the string "4" are different groups. */
function groupValue(value: AttributeValue, { name, attribute }: TotalPart): AttributeValue {
  const purpose = `attribute ${attribute}, needed for the group ${name},`;
  if ('N' in value) return { S: `N${numberText(value.N, purpose, attribute)}` };
  if ('BOOL' in value) return { S: `B${value.BOOL}` };
  if (!('S' in value)) {
    const message = `${purpose} should be a text, a number or a boolean, but is ${typeName(typeOf(value))}`;
    throw new PartError('wrong-type', message, attribute);
  }
  if (isWellFormed(value.S) && isWithinBytes(value.S, MOST_GROUP_BYTES)) return { S: `S${value.S}` };
  throw new PartError('out-of-bounds', `${purpose} should be a text of at most ${MOST_GROUP_BYTES} bytes`, attribute);
}

function numberText(text: string, purpose: string, attribute: string): string {
  const units = parseUnits(text);
  if (units !== undefined) return textOfUnits(units);
  const message = `${purpose} should have at most ${SUM_DIGITS} digits before the point and ${SUM_DECIMALS} behind it, but is ${text}`;
  throw new PartError('out-of-bounds', message, attribute);
}
