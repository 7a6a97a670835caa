import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTime {
  readonly parent: number;
  /** Includes ended children. */
  readonly ticks: number;
}

/**
 * Returns the CPU seconds of a process and its descendants, from /proc. A child counts after its parent has waited for
 * it, so a child that outlives its parent is lost. Without /proc, returns those of this process alone.
 */
export function cpuSecondsOfTree(root: number): number {
  if (!existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const processes = new Map<number, ProcessTime>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const time = Number.isInteger(pid) ? processTime(pid) : undefined;
    if (time !== undefined) processes.set(pid, time);
  }
  let ticks = 0;
  for (const [pid, time] of processes) {
    if (isWithin(root, pid, processes)) ticks += time.ticks;
  }
  return ticks / TICKS_PER_SECOND;
}

function isWithin(root: number, pid: number, processes: ReadonlyMap<number, ProcessTime>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

function processTime(pid: number): ProcessTime | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The program's name may contain any characters. The numeric fields follow its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
  return { parent: Number(fields[1]), ticks };
}
