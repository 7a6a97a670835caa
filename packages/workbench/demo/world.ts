import type { Reader } from '../../../src/client/read/reader.ts';
import type { Writer } from '../../../src/client/write/writer.ts';
import type { ExpectedWorld } from './expected.ts';
import type { airports } from './model.ts';
import type { Say } from './report.ts';

export interface DemoWorld {
  say: Say;
  expected: ExpectedWorld;
  writer: Writer<typeof airports>;
  reader: Reader<typeof airports>;
}
