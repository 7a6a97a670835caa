import { isDrift } from '../../../../src/core/verdicts.ts';
import { type CheckOptions, type CheckResult, check } from '../../../../src/trust/check/check.ts';
import type { ConsumerPosition } from '../../../../src/trust/check/consumer-position.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { Operation } from './operation.ts';
import { LONGEST_TIMEOUT, SECOND } from './time.ts';
import type { World } from './world.ts';

/** How long a check waits where the consumer's position is not known. */
const GRACE_TIMES = [LONGEST_TIMEOUT, SECOND, 600 * SECOND] as const;
const MODES = ['rebuild', 'rebuild', 'repair', 'report'] as const;
/** The nodes are looked for in 16 MB of bits otherwise, and the edges to none of them in a file. */
const WITHOUT_DANGLING = { segments: 1, onlySegments: [0] } as const;

/**
 * An operator's check beside the projector: it only reports, or mends, or rebuilds. Whatever it writes, the projector has
 * to converge. Where it is told how far the stream's consumer has come, it must not take lag for drift.
 */
export function startCheck(world: World, name: string): void {
  const { choices } = world;
  const mode = MODES[choices.pick(`${name}.mode`, MODES.length)]!;
  const graceMs = GRACE_TIMES[choices.pick(`${name}.settle`, GRACE_TIMES.length)]!;
  const isUnaware = choices.chance(`${name}.unaware`, 0.3);
  world.count(`checks that ${mode}`);
  new Operation(world, name, async (operation, store) => {
    const { drift, pending, repaired, superseded } = await check(world.graph, {
      ...{ store, mode, graceMs, ...WITHOUT_DANGLING },
      consumer: isUnaware ? undefined : positionOf(world),
      now: () => world.agenda.now,
      wait: (milliseconds) => operation.wait(milliseconds),
      onFinding: (finding) => {
        world.tell(() => `${name} finds ${JSON.stringify(finding)}`);
        if (!isUnaware && isAlarm(world, finding)) world.fail('false-alarm', JSON.stringify(finding));
      },
      onRepair: (action) => world.tell(() => `${name}: ${action}`),
    });
    world.count('found to be right in the end', superseded);
    world.count('found pending', pending);
    world.count('repairs beside the projector', repaired);
    return `${JSON.stringify(drift)}, ${repaired} repaired, ${superseded} superseded, ${pending} pending`;
  }).start();
}

/** A check of a table that is at rest, through a process for which nothing goes wrong. */
export function inspect(world: World, name: string, mode: CheckOptions['mode']): Inspection {
  const inspection: Inspection = { findings: [] };
  new Operation(world, name, async (operation, store) => {
    inspection.result = await check(world.graph, {
      ...{ store, mode, graceMs: SECOND, ...WITHOUT_DANGLING },
      now: () => world.agenda.now,
      wait: (milliseconds) => operation.wait(milliseconds),
      onFinding: (finding) => {
        world.tell(() => `${name} finds ${JSON.stringify(finding)}`);
        if (isDrift(finding.verdict) || finding.verdict === 'maintenance') inspection.findings.push(finding);
      },
    });
    return `${inspection.result.repaired} repaired`;
  }).start();
  return inspection;
}

/** What a check of a table at rest has found, once it is at its end. */
export interface Inspection {
  result?: CheckResult;
  /** Drift, and what is due to be done. */
  findings: Finding[];
}

/** Whether a finding blames a derived item that records, all of them applied, have made what it is. */
function isAlarm(world: World, { source, verdict }: Finding): boolean {
  // A view that was beyond its budget once keeps the mark of it until a repair.
  if (world.options.budget === 'tight' || world.mapping.unmended.has(source)) return false;
  return isDrift(verdict);
}

function positionOf(world: World): ConsumerPosition {
  return { appliedUpToMs: () => Promise.resolve(world.mapping.appliedUpToMs()) };
}
