import { EdgeloomError } from '../../../foundation/errors.ts';
import type { WithLevel } from './level.ts';

const SLASH = /(?<!\\)\//;

/** Parses levels such as `KEYRESULT/GOALMEMBERSHIP:LEAD`. In a label, `\/` is a slash. */
export function levelOfPath(path: string): WithLevel {
  const levels = path.split(SLASH).map((text) => text.replaceAll('\\/', '/'));
  const [level] = levels.reduceRight<WithLevel[]>((below, text) => [levelOf(path, text, below)], []);
  return level!;
}

function levelOf(path: string, text: string, below: readonly WithLevel[]): WithLevel {
  const colon = text.indexOf(':');
  const [name, rest] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  if (name === '') {
    const hint = 'Give TYPE, TYPE:LABEL or inbound:TYPE, and levels below behind a /.';
    throw new EdgeloomError('invalid-argument', `The level ${JSON.stringify(path)} names no edge type.`, hint);
  }
  const lower = below.length > 0 && { with: below };
  if (name === 'inbound' && rest !== undefined) return { inbound: rest, ...lower };
  return { edge: name, ...(rest !== undefined && { label: rest }), ...lower };
}
