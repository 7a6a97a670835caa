import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { Source } from '../../../src/sources/source.ts';

export function namedSource(sources: readonly Source[], name: string | undefined, file: string): Source {
  const source =
    name === undefined ? (sources.length === 1 ? sources[0] : undefined) : sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const known =
    sources.length === 0 ? 'It exports no sources.' : `Its sources are ${sources.map((one) => one.name).join(', ')}.`;
  throw new EdgeloomError(
    'usage',
    `The model file ${file}: no source ${name ?? 'is named'}. ${known}`,
    sources.length === 0
      ? "Export them from the model file: export const sources = [sourceTable('app-table', { map })]."
      : 'Name one of them.',
  );
}
