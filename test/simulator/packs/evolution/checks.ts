import type { Finding } from '../../../../src/admin.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Registry } from '../../../../src/registry/registry.ts';
import { textOf } from '../../kernel/values.ts';
import { keysOf } from './owners.ts';
import { versionsOf } from './specs.ts';
import { runCheck } from './tools.ts';
import type { World } from './world.ts';

/**
 * Checks and repairs beside producers, consumers, readers and migrations, from checkouts of any model. They know how far the
 * consumers have come, so whatever they find wrong has to be so: only what a late writer has left under a retired id may be.
 */

/** Verdicts that are drift, or what nobody knows. */
const WRONG: readonly string[] = ['missing', 'stale', 'orphan', 'unregistered'];
/** Verdicts that are drift. */
const DRIFT: readonly string[] = ['missing', 'stale', 'orphan'];
/** So far behind the last id is one that is never given out. */
const BEYOND = 1_000;
/** Ids at each end of those that were given out: a registry may begin with any number. */
const IDS_AT_AN_END = 8;
/** Time that the consumers have in the end, in milliseconds. */
const LONGEST_GRACE_MS = 600_000;

/** Judges what a check finds beside everything else. */
export function watched(world: World): (finding: Finding) => void {
  const { epoch } = world;
  return (finding) => {
    if (!WRONG.includes(finding.verdict)) return;
    world.log(`a check finds ${JSON.stringify(finding)}`);
    if (world.isLenient || world.epoch !== epoch || world.wasForgotten || world.hasLitter) return;
    const found = rightlyFound(world, finding);
    if (found !== undefined) world.count(found);
    else world.fail('alarm', `a check finds ${JSON.stringify(finding)}`);
  };
}

/** What a check may find although no writer went wrong; undefined: it may not. */
function rightlyFound(world: World, { target, verdict, actual }: Finding): string | undefined {
  if (verdict === 'orphan' && actual?.includes('which is retired') === true) return 'retired items that checks found';
  // The record that would have driven its next page is lost.
  const isFanOut = verdict === 'stale' && target.startsWith('~more/');
  if (isFanOut && world.hasLostRecords) return 'stuck fan-outs that checks found';
  // Consumers that know no registry wrote it before there was one, or it is planted: it has no stamp of the registry.
  const isStamped = actual?.includes('"model":{"S":"@') === true;
  if (verdict === 'unregistered' && !isStamped) return 'unregistered items that checks found';
  return verdict === 'orphan' && !isStamped ? 'items from before the registry that checks found' : undefined;
}

/** The product's own check agrees in the end. It mends first what may be left over, and is given strays to find. */
export async function checkByProduct(world: World, registry: Registry): Promise<void> {
  const version = world.specs.findIndex((_, of) => hasAllCode(world, of));
  if (version < 0) return world.count('ends that no model has the code to check');
  const strays = new Strays(world, registry);
  // A check reads some of it at a replica.
  await world.timeline.sleep(10_000);
  const isLeftOver = (finding: Finding): boolean => rightlyFound(world, finding) !== undefined;
  const first = await driftOf(world, version, 'repair', strays.unknown.length);
  // From before there was a registry, from one that was deleted, of records that were lost, or by a writer that stood still.
  if (!world.hasLitter && !world.wasForgotten && !first.every(isLeftOver))
    world.fail('alarm', `at the end the check finds drift: ${textOfFindings(first)}`);
  let left = await driftOf(world, version, 'report', strays.unknown.length);
  // A write that stood still may land after the check has passed its place.
  for (let tries = 0; tries < 3 && left.length > 0 && left.every(isLeftOver); tries++) {
    await driftOf(world, version, 'repair', strays.unknown.length);
    left = await driftOf(world, version, 'report', strays.unknown.length);
  }
  if (left.length > 0) world.fail('alarm', `at the end the check finds drift after a repair: ${textOfFindings(left)}`);
  strays.judge();
}

/** Whether a model has a function wherever any of them has one; in the end it has all versions of what it has. */
function hasAllCode({ specs }: World, version: number): boolean {
  const own = versionsOf(specs[version]!);
  return specs
    .map(versionsOf)
    .every(({ initial, mark }) => (initial === 0 || own.initial > 0) && (mark === 0 || own.mark > 0));
}

/** What a check finds that is drift; it has to find at least so many items that the registry does not know. */
async function driftOf(
  world: World,
  version: number,
  mode: 'repair' | 'report',
  unregistered: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const onFinding = (finding: Finding): void => {
    if (!DRIFT.includes(finding.verdict)) return;
    findings.push(finding);
    const found = rightlyFound(world, finding);
    if (found !== undefined) world.count(found);
  };
  const run = await runCheck(world, version, mode, { isCalm: true, graceMs: LONGEST_GRACE_MS, onFinding });
  const found = typeof run === 'object' && 'ended' in run ? run.ended.unregistered : 0;
  if (found < unregistered)
    world.fail('alarm', `a check finds ${found} items that the registry does not know, of ${unregistered}`);
  return findings;
}

function textOfFindings(findings: readonly Finding[]): string {
  return findings
    .slice(0, 4)
    .map((finding) => JSON.stringify(finding))
    .join(' ');
}

/** Items that no base item wants, put by hand: what is retired has to go, and what the registry does not know has to stay. */
class Strays {
  private readonly retired: ItemKey[] = [];
  readonly unknown: ItemKey[] = [];

  constructor(
    private readonly world: World,
    { projections }: Registry,
  ) {
    for (const [name, { next, generations }] of projections) {
      this.unknown.push(...keysOf(name, next + BEYOND));
      const ends = Array.from({ length: IDS_AT_AN_END }, (_, i) => [i + 1, next - 1 - i]).flat();
      for (const id of new Set(ends.filter((one) => one > 0 && one < next))) {
        if (!generations.some((generation) => generation.id === id)) this.retired.push(...keysOf(name, id));
      }
    }
    for (const key of [...this.retired, ...this.unknown]) {
      const of = { source: { S: key.source }, target: { S: key.target } };
      world.table.write(key, { ...of, r: { N: '1' }, value: { S: 'planted' } });
    }
    world.count('retired items planted', this.retired.length);
  }

  /** What became of them. */
  judge(): void {
    const { world } = this;
    for (const key of this.retired) {
      if (isPlanted(world, key)) world.fail('alarm', `repair has left ${key.source} ${key.target}, which is retired`);
    }
    for (const key of this.unknown) {
      if (!isPlanted(world, key))
        world.fail('alarm', `repair has taken ${key.source} ${key.target}, which nobody knows`);
    }
  }
}

function isPlanted(world: World, key: ItemKey): boolean {
  return textOf(world.table.current(key)?.['value']) === 'planted';
}
