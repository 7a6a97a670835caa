import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { SourceTable } from '../../../src/mirror/source.ts';

/** The source of a model file that a command names; the only one where it names none. Throws `usage` where none is meant. */
export function namedSource(sources: readonly SourceTable[], table: string | undefined, file: string): SourceTable {
  const source =
    table === undefined ? (sources.length === 1 ? sources[0] : undefined) : sources.find((one) => one.table === table);
  if (source !== undefined) return source;
  const known =
    sources.length === 0 ? 'It exports no sources.' : `Its sources are ${sources.map((one) => one.table).join(', ')}.`;
  throw new EdgeloomError(
    'usage',
    `The model file ${file}: no source ${table ?? 'is named'}. ${known}`,
    'Name one of them.',
  );
}
