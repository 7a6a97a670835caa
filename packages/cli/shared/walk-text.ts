import { figureText } from '../../../src/foundation/figure.ts';
import { walkRcu } from '../../../src/trust/subject/subject-walk.ts';

/** @param sizeBytes as DynamoDB reports it: 0 for a new table and on some local engines. */
export function walkText(table: string, sizeBytes: number, walks: number): string {
  const isRead = `The table ${table} is read as a whole`;
  if (sizeBytes === 0) {
    const later = walks === 1 ? '' : ' The second run reads it twice.';
    return `${isRead}, for an unknown number of RCU, because DynamoDB reports no size for it.${later}`;
  }
  const later = walks === 1 ? '' : ' in the first run, and twice that in the second';
  return `${isRead}: about ${figureText(walkRcu(sizeBytes))} RCU${later}.`;
}
