import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.ts';

const FOLDER = join(ROOT, 'docs/how-to');

/** The pages of docs/how-to with these names (default: all), as one text. */
export function howTo(names: readonly string[] = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ''))): string {
  return names.map((name) => readFileSync(join(FOLDER, `${name}.md`), 'utf8')).join('\n');
}

/** Pages for those who operate a table. */
export const OPERATOR_PAGES = ['operations', 'repair', 'runbooks', 'alarms'];
