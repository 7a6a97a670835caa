import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../model/attribute-value.ts';
import { EDGE_SET, EVICTED, REVISION, WATERMARK } from '../model/derived-item.ts';
import type { DerivedUpdate } from './port.ts';

/** The expression part of an UpdateItem for a derived item. Every name goes through a placeholder: `w` may be reserved. */
export function updateExpression(
  update: DerivedUpdate,
): Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> {
  const names: Record<string, string> = { '#r': REVISION };
  const values: Record<string, AttributeValue> = { ':one': { N: '1' } };
  const sets: string[] = [];
  let count = 0;
  for (const name of Object.keys(update.set)) {
    names[`#s${count}`] = name;
    values[`:s${count}`] = update.set[name]!;
    sets.push(`#s${count} = :s${count}`);
    count += 1;
  }
  const unsets = update.unset.map((name, i) => {
    names[`#u${i}`] = name;
    return `#u${i}`;
  });
  const adds = ['#r :one'];
  const deletes: string[] = [];
  for (const [elements, list, action] of [
    [update.addElements, adds, '#e :e'],
    [update.deleteElements, deletes, '#e :e'],
    [update.setElements, sets, '#e = :e'],
  ] as const) {
    if (elements === undefined || elements.length === 0) continue;
    names['#e'] = EDGE_SET;
    values[':e'] = { SS: [...elements] };
    list.push(action);
  }
  const clauses = [
    sets.length > 0 ? `SET ${sets.join(', ')}` : '',
    unsets.length > 0 ? `REMOVE ${unsets.join(', ')}` : '',
    `ADD ${adds.join(', ')}`,
    deletes.length > 0 ? `DELETE ${deletes.join(', ')}` : '',
  ];
  return {
    UpdateExpression: clauses.filter((clause) => clause !== '').join(' '),
    ConditionExpression: conditionExpression(update, names, values),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values as UpdateItemCommandInput['ExpressionAttributeValues'],
  };
}

function conditionExpression(
  { condition }: DerivedUpdate,
  names: Record<string, string>,
  values: Record<string, AttributeValue>,
): string {
  if (condition.kind === 'revision') {
    if (condition.revision === undefined) return 'attribute_not_exists(#r)';
    values[':revision'] = { N: condition.revision };
    return '#r = :revision';
  }
  names['#w'] = WATERMARK;
  values[':watermark'] = { S: condition.watermark };
  const clauses = ['(attribute_not_exists(#w) OR #w < :watermark)'];
  condition.notEvicted?.forEach((type, i) => {
    names['#evicted'] = EVICTED;
    values[`:type${i}`] = { S: type };
    clauses.push(`NOT contains(#evicted, :type${i})`);
  });
  return clauses.join(' AND ');
}
