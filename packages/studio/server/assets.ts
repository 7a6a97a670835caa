import { readFileSync } from 'node:fs';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

export interface Asset {
  type: string;
  body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  'page.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
};

export function loadAssets(folder: URL): ReadonlyMap<string, Asset> {
  try {
    return new Map(
      Object.entries(TYPES).map(([name, type]) => [name, { type, body: readFileSync(new URL(name, folder)) }]),
    );
  } catch (error) {
    throw new EdgeloomError('file-failed', 'The page of the studio is not built.', 'Run npm run build in the clone.', {
      cause: error,
    });
  }
}
