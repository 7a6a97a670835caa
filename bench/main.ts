import { batch } from './batch.ts';
import { check, checkCopies, checkCorruption } from './check.ts';
import { checkMemory } from './check-memory.ts';
import { cpu } from './cpu.ts';
import { delivery } from './delivery.ts';
import { electrodb } from './electrodb.ts';
import { fanOut } from './fan-out.ts';
import { friends } from './friends/main.ts';
import { has } from './has.ts';
import { joinedItems } from './joined.ts';
import { levels } from './levels.ts';
import { list } from './list.ts';
import { migrate } from './migrate.ts';
import { modeling } from './modeling.ts';
import { observe } from './observe.ts';
import { packaged } from './package.ts';
import { parts } from './parts.ts';
import { peers } from './peers.ts';
import { redrive, redriveLarge } from './redrive.ts';
import { scale } from './scale.ts';
import { search } from './search.ts';
import { start } from './start.ts';
import { runBenchmarks } from './support/command.ts';
import { sync } from './sync.ts';
import { throughput } from './throughput.ts';
import { types } from './types.ts';
import { writes } from './writes.ts';

await runBenchmarks({
  batch,
  cpu,
  throughput,
  types,
  list,
  peers,
  search,
  delivery,
  migrate,
  sync,
  scale,
  modeling,
  parts,
  levels,
  'fan-out': fanOut,
  joined: joinedItems,
  redrive,
  'redrive-large': redriveLarge,
  has,
  observe,
  package: packaged,
  start,
  check,
  'check-corruption': checkCorruption,
  'check-copies': checkCopies,
  'check-memory': checkMemory,
  writes,
  electrodb,
  friends,
});
